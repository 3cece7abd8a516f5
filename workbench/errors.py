"""Errors that a caller handles in different ways; misuse raises the built-in ValueError, TypeError or KeyError."""


class WorkbenchError(Exception):
    """Base of the errors below: the work failed for a reason that one line can say."""


class BadInput(WorkbenchError):
    """A file or record can't be read as what it is taken for."""


class StoreError(WorkbenchError):
    """The store can't be opened or written: locked, newer, damaged or read-only."""


class NotConverged(WorkbenchError):
    """An iteration hit its cap before the stated error was reached."""


class MissingPart(WorkbenchError):
    """An optional library or model is not installed."""


class EmbeddingError(WorkbenchError):
    """An embedding backend gave no vectors for a batch of texts, or not those that were asked for."""


class ChatError(WorkbenchError):
    """A language-model service can't be used at all, whatever it is asked."""
