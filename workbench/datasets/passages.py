"""HotpotQA, MuSiQue and 2WikiMultihopQA as passage pools: one case a pool, one note a passage (decision 13).

The pool is the file ``<name>_corpus.json`` (or ``.json.gz``) beside ``<name>.json``, where ``<name>`` may be a beginning of the
questions file's name; without one it is the union of the questions' own contexts. A pool holds a passage (title and text)
once; titles may repeat. A passage's session is called by its title, numbered where that comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.files import stem
from workbench.datasets.json_records import Broken, first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, place, shown, unique
from workbench.errors import BadInput
from workbench.records import Case, Finding, Gold, Loaded, Question, Session, Turn

_CORPUS = "_corpus"


def is_corpus(path: Path) -> bool:
    """Whether a file's name says that it is a pool of passages, to be read with its questions."""
    return stem(path).endswith(_CORPUS)


def corpus_of(path: Path) -> Path | None:
    """The pool beside a questions file: the corpus whose name is the longest beginning of the file's."""
    names = {
        stem(other).removesuffix(_CORPUS): other
        for other in sorted(path.parent.glob("*.json*"))
        if is_corpus(other) and stem(path).startswith(stem(other).removesuffix(_CORPUS))
    }
    return names[max(names, key=len)] if names else None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question in any of the three formats: its passages, and those that support it."""

    question: Question
    context: list[tuple[str, str]]
    titles: list[str]
    passages: list[tuple[str, str]]


class _Pool:
    """Distinct (title, text) passages in the order met, each with its note."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self._by_passage: dict[tuple[str, str], str] = {}
        self._by_title: dict[str, list[str]] = {}
        self._taken: dict[str, int] = {}

    def add(self, title: str, text: str) -> None:
        if (title, text) in self._by_passage:
            return
        name = unique(title or "untitled", self._taken)
        note = f"{name}#1"
        self._by_passage[title, text] = note
        self._by_title.setdefault(title, []).append(note)
        said = Turn("user", f"{title}\n{text}" if title else text, ref=name)
        self.sessions.append(Session(name, (said,), len(self.sessions)))

    def notes(self, asked: _Asked) -> tuple[tuple[str, ...], list[str]]:
        """The supporting notes and the titles that are not in the pool."""
        found: dict[str, None] = {}
        lost = []
        for passage in asked.passages:
            if passage in self._by_passage:
                found[self._by_passage[passage]] = None
            else:
                lost.append(passage[0])
        for title in asked.titles:
            found |= dict.fromkeys(self._by_title.get(title, ()))
            lost += [] if title in self._by_title else [title]
        return tuple(found), lost


class _Passages:
    """What the three formats share: pool, question ids, gold; each says how its record reads."""

    name: str

    def _ask(self, index: int, entry: dict[str, Any], mend: Mender) -> _Asked:
        raise NotImplementedError

    def _is_question(self, entry: dict[str, Any]) -> bool:
        raise NotImplementedError

    def recognises(self, path: Path) -> bool:
        if not path.is_file() or is_corpus(path):
            return False
        record = first(path)
        return record is not None and isinstance(record.value, dict) and self._is_question(record.value)

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        if is_corpus(path):
            raise BadInput(f"{path}: a pool of passages without questions; load the questions file beside it")
        asked: list[tuple[_Asked, Mender]] = []
        findings: list[Finding] = []
        repaired = 0
        for index, record in enumerate(records(path)):
            mend = Mender(str(path), record.position)
            try:
                if isinstance(record, Broken):
                    raise BadRecord(record.reason)
                asked.append((self._ask(index, mapping(record.value), mend), mend))
            except BadRecord as error:
                yield Finding(str(path), place(record.position, error.where), "quarantined", str(error), is_record=True)
        if not asked:
            raise BadInput(f"{path}: no {self.name} question")
        pool = _Pool()
        corpus = corpus_of(path)
        if corpus:
            findings += _fill(pool, corpus)
        else:
            for one, _ in asked:
                for title, text in one.context:
                    pool.add(title, text)
        if not pool.sessions:
            raise BadInput(
                f"{path}: no passages: expected contexts in the questions or a file {stem(path)}{_CORPUS}.json beside it"
            )
        questions, taken = [], dict[str, int]()
        for one, mend in asked:
            questions.append(_with_gold(one, pool, taken, mend))
            findings += mend.findings
            repaired += bool(mend.findings)
        case = Case(self.name, stem(path), tuple(pool.sessions), tuple(questions), "passage")
        yield Loaded(case, tuple(findings), kept=len(asked) - repaired, repaired=repaired)


def _with_gold(one: _Asked, pool: _Pool, taken: dict[str, int], mend: Mender) -> Question:
    given = one.question
    identity = unique(given.id, taken)
    if identity != given.id:
        mend.repaired("", f"question id {shown(given.id)} comes again; kept as {shown(identity)}")
    notes, lost = pool.notes(one)
    remarks = [f"supporting passage {shown(title)} is not in the pool" for title in lost]
    for remark in remarks:
        mend.set_aside("", remark)
    if not notes and not lost:
        remarks.append("no supporting passage is given")
    return replace(given, id=identity, gold=Gold(notes=notes), remarks=(*given.remarks, *remarks))


def _fill(pool: _Pool, corpus: Path) -> list[Finding]:
    """Put a corpus file's passages into the pool: a list of {title, text}, or one object from title to sentences."""
    findings: list[Finding] = []
    for record in records(corpus):
        mend = Mender(str(corpus), record.position)
        try:
            if isinstance(record, Broken):
                raise BadRecord(record.reason)
            entry = mapping(record.value)
            if "title" in entry and "text" in entry:
                pool.add(mend.text(entry["title"], "title"), mend.text(entry["text"], "text"))
            else:
                for title, sentences in entry.items():
                    pool.add(mend.text(title, shown(title)), _joined(sentences, shown(title), mend))
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the passage was left out")
        findings += mend.findings
    return findings


def _joined(sentences: object, where: str, mend: Mender) -> str:
    """Sentences as one text; in these data the blank between two belongs to the second."""
    if isinstance(sentences, list):
        return "".join(mend.text(sentence, f"{where}[{index}]") for index, sentence in enumerate(sentences))
    return mend.text(sentences, where)


def _question(index: int, entry: dict[str, Any], id_field: str, kind: str, mend: Mender) -> Question:
    text = mend.text(entry.get("question"), "question").strip()
    if not text:
        raise BadRecord("no question", "question")
    given = entry.get(id_field)
    answers: list[object] = answer if isinstance(answer := entry.get("answer"), list) else [answer]
    aliases = entry.get("answer_aliases")
    answers = answers + (aliases if isinstance(aliases, list) else [])
    known = [mend.text(one, "answer") for one in answers if one is not None]
    return Question(
        id=mend.text(given, id_field) if given not in (None, "") else f"q{index}",
        text=text,
        answer=known[0] if known else None,
        type=kind,
        remarks=(f"also accepted: {'; '.join(known[1:])}",) if known[1:] else (),
    )


def _titled_context(entry: dict[str, Any], mend: Mender) -> tuple[list[tuple[str, str]], list[str]]:
    """HotpotQA's context and supporting titles; 2Wiki has the same form."""
    context = []
    for index, pair in enumerate(mend.listed(entry.get("context"), "context")):
        where = f"context[{index}]"
        if not (isinstance(pair, list) and len(pair) == 2):
            mend.set_aside(where, f"[title, sentences] expected, found {shown(pair)}; the passage was left out")
            continue
        context.append((mend.text(pair[0], where), _joined(pair[1], where, mend)))
    titles = []
    for index, fact in enumerate(mend.listed(entry.get("supporting_facts"), "supporting_facts")):
        if not (isinstance(fact, list) and fact):
            mend.set_aside(f"supporting_facts[{index}]", f"[title, sentence] expected, found {shown(fact)}")
            continue
        titles.append(mend.text(fact[0], f"supporting_facts[{index}]"))
    return context, list(dict.fromkeys(titles))


class HotpotQA(_Passages):
    """HotpotQA questions in the native JSON, with their contexts or a ``*_corpus.json`` beside them as the pool."""

    name = "hotpotqa"
    licence = "CC BY-SA 4.0 (Yang et al.): may be passed on with attribution, under the same licence."

    def _is_question(self, entry: dict[str, Any]) -> bool:
        return "supporting_facts" in entry and "context" in entry and "evidences" not in entry

    def _ask(self, index: int, entry: dict[str, Any], mend: Mender) -> _Asked:
        question = _question(index, entry, "_id", mend.text(entry.get("type", ""), "type"), mend)
        context, titles = _titled_context(entry, mend)
        return _Asked(question, context, titles, [])


class TwoWiki(_Passages):
    """2WikiMultihopQA questions, native or with ``supporting_titles`` only, and a ``*_corpus.json`` as the pool."""

    name = "2wikimultihopqa"
    licence = "Apache-2.0 (Ho et al.); the texts are Wikipedia's, CC BY-SA."

    def _is_question(self, entry: dict[str, Any]) -> bool:
        return "supporting_titles" in entry or ("supporting_facts" in entry and "evidences" in entry)

    def _ask(self, index: int, entry: dict[str, Any], mend: Mender) -> _Asked:
        question = _question(index, entry, "_id", mend.text(entry.get("type", ""), "type"), mend)
        if "supporting_titles" in entry:
            titles = [mend.text(one, "supporting_titles") for one in mend.listed(entry["supporting_titles"], "supporting_titles")]
            return _Asked(question, [], list(dict.fromkeys(titles)), [])
        context, titles = _titled_context(entry, mend)
        return _Asked(question, context, titles, [])


class MuSiQue(_Passages):
    """MuSiQue questions in the native JSON (lines); passages are told apart by title and text, since titles repeat."""

    name = "musique"
    licence = "CC BY 4.0 (Trivedi et al.): may be passed on with attribution."

    def _is_question(self, entry: dict[str, Any]) -> bool:
        return "paragraphs" in entry and "question" in entry

    def _ask(self, index: int, entry: dict[str, Any], mend: Mender) -> _Asked:
        kind = str(entry.get("id", "")).partition("__")[0]
        question = _question(index, entry, "id", kind, mend)
        context, gold = [], []
        for number, raw in enumerate(mend.listed(entry.get("paragraphs"), "paragraphs")):
            where = f"paragraphs[{number}]"
            paragraph = mapping(raw, where)
            passage = (
                mend.text(paragraph.get("title"), f"{where}.title"),
                mend.text(paragraph.get("paragraph_text"), f"{where}.paragraph_text"),
            )
            context.append(passage)
            if paragraph.get("is_supporting") is True:
                gold.append(passage)
        return _Asked(question, context, [], gold)


for _dataset in (HotpotQA(), TwoWiki(), MuSiQue()):
    datasets.register(_dataset.name)(_dataset)
