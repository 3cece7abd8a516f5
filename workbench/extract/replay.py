"""Tags from recorded outputs of a language model: the same extraction, without the model."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.chat.asking import Replay
from workbench.chat.base import MODEL, Asker
from workbench.errors import MissingPart
from workbench.extract.base import extractors
from workbench.extract.llm import ByModel, LlmConfig


@dataclass(frozen=True)
class ReplayConfig(LlmConfig):
    """Whose recorded outputs are read: the fields are those of the ``llm`` extraction that they were made for."""


@extractors.register("replay")
class Replayed(ByModel):
    """Tags by the recorded outputs of a language model, which is not asked again.

    An output that was given to another prompt about the note, such as one that showed another ontology, is used and counted
    (``other_prompt``). A note without a recording has failed.
    """

    name = "replay"
    Config = ReplayConfig

    def asker(self) -> Asker:
        """The recordings.

        Raises
        ------
        MissingPart
            If no model is named.
        """
        if not self.config.model:
            raise MissingPart(f"replay needs the model whose outputs are read: set replay.model=NAME, or {MODEL}")
        return Replay(self.config.model, self.recordings, same_prompt=False)
