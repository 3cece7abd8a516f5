"""What of a message the offline extractor can read: English prose, without code, addresses and encoded data, up to a length."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from workbench.text import Analyser

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|\S+@\S+\.\w+")
_BLOB = re.compile(r"[A-Za-z0-9+/=_%-]{40,}")
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \S+ import|#include|function\b|const |let |var |public |private |return\b|"
    r"<\/?\w+[^>]*>|SELECT |if ?\(|for ?\(|while ?\(|[})\]]+[;,]?\s*$)|[;{]\s*$|=>|\w\(.*\)\s*[;:]?\s*$"
)
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*•>#]+|\d+[.)])[ \t]+", re.MULTILINE)
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")

# Closed-class words tell languages apart without a model; each list holds words that the other does not use.
_ENGLISH = frozenset(
    """the of and to is that it for with as was on are be this have from or had by but some what there we can were all your when
    how an which their do will about if up out many then them these so would like has more my i you me did could
    should""".split()  # noqa: SIM905
)
_OTHER = frozenset(
    """que los las una por para con del como más pero está esta soy muy der das und ist nicht ich ein eine mit auf für sich wir
    sie les des est pour dans une qui pas sur avec vous nous je il che non della di sono per het een niet van voor ik não uma
    com os em você och att det som jag är på og ikke nie jest się ja ve bir için и в не на что je""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Readable:
    """The prose of a message, whether it is English, and what had to be left out."""

    text: str
    is_english: bool = True
    remarks: tuple[str, ...] = ()


def readable(text: str, limit: int) -> Readable:
    """The part of a message that rules for English can work on.

    Parameters
    ----------
    limit : int
        Characters that are kept, cut at a word boundary.

    Returns
    -------
    Readable
        For another script only its Latin words are kept, for another language in Latin letters nothing is; ``is_english`` is
        then False.
    """
    remarks = []
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no character
    prose = _prose(text)
    if prose is not text and len(prose.split()) < 0.7 * len(text.split()):
        remarks.append("code was left out")
    whole = prose
    prose = _BLOB.sub(" ", _ADDRESS.sub(" ", prose))
    if len(whole) - len(prose) > 200:
        remarks.append("encoded data or addresses were left out")
    if len(prose) > limit:
        remarks.append(f"only the first {limit:,} characters were read")
        prose = _cut(prose, limit)
    prose = _EMPHASIS.sub("", _LIST_MARK.sub("", prose)).strip()
    if _is_foreign_script(prose):
        return Readable(
            " ".join(re.findall(r"[A-Za-z][A-Za-z0-9'+#.-]*", prose)), False, (*remarks, "text is not in Latin letters")
        )
    if _is_foreign_language(prose):
        return Readable("", False, (*remarks, "text is not in English"))
    return Readable(prose, True, tuple(remarks))


def _prose(text: str) -> str:
    """The text without fenced code, and without lines of code where they are three or more and a third of it."""
    if "```" in text:
        text = _FENCED.sub("\n", text)
    if text.count("\n") < 3:
        return text
    lines = text.split("\n")
    code = [bool(_CODE_LINE.search(line)) for line in lines]
    if sum(code) < max(3, sum(bool(line.strip()) for line in lines) / 3):
        return text
    return "\n".join(line for line, is_code in zip(lines, code, strict=True) if not is_code)


def _cut(text: str, limit: int) -> str:
    head, gap, _ = text[:limit].rpartition(" ")
    return head if gap else text[:limit]


def _is_foreign_script(text: str) -> bool:
    """Whether more than three letters in ten are not Latin ones."""
    if text.isascii():
        return False
    letters = [c for c in text if c.isalpha()]
    foreign = sum(c > "\u024f" and not unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return foreign > 0.3 * len(letters)


def _is_foreign_language(text: str) -> bool:
    words = Analyser("simple").surface(text)
    other = sum(word in _OTHER for word in words)
    return other >= 3 and other > sum(word in _ENGLISH for word in words)
