"""Rankings of a run, and the judgements they were held against, as files that other tools read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.evaluate.judging import Ranked
from workbench.evaluate.relevance import relevance
from workbench.evaluate.run_files.names import outside, question_name
from workbench.evaluate.runs import CaseInput
from workbench.records import QuestionResult, Run

FORMATS = ("trec", "csv", "parquet", "json")
QRELS = "qrels"
Rows = Literal["ranks", "questions"]
ROWS = ("ranks", "questions")
_RANK_COLUMNS = ("run", "query", "case", "question", "type", "method", "rank", "note", "session", "score")


def query_id(result: QuestionResult) -> str:
    """A question's name outside: ``benchmark/case/question``, blanks as underscores since TREC columns end at blanks."""
    return question_name(result.case, result.question)


def write(run: Run, path: Path, form: str, *, rows: str = "ranks", unit: Ranked | None = None) -> int:
    """Write all of a run; the number of rows is returned.

    Parameters
    ----------
    run : Run
    path : Path
    form : "trec", "csv", "parquet" or "json"
        A TREC run holds all methods, the method being the tag; ids lose their blanks as query ids do. JSON is
        ``{query: {id: score}}``, for several methods ``{method: {query: {id: score}}}``.
    rows : "ranks" or "questions"
        A row for each kept rank, or (in tables only) for each question and method, with ranked ids and every measure.
    unit : "note" or "session", optional
        What is ranked: what the run ranks, which of our methods are notes, or its notes' sessions.

    Raises
    ------
    ValueError
        For another format, or rows or a unit that the run or the format does not have.
    OSError
        If the file can't be written.
    """
    if form not in FORMATS:
        raise ValueError(f"no export format {form!r}; known: {', '.join(FORMATS)}")
    if rows not in ROWS or (rows == "questions" and form not in ("csv", "parquet")):
        raise ValueError(f"no rows {rows!r} in format {form}; ranks in all, questions in csv and parquet")
    if unit == "note" and all(_ranks_sessions(run, method) for method in run.config):
        raise ValueError(f"run {run.id} ranks sessions: it has no notes to write")
    if form == "trec":
        lines = list(_trec(run, unit))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        return len(lines)
    if form == "json":
        return _write_json(run, path, unit)
    import pandas as pd  # Half a second to import, which only this needs.

    frame = (
        pd.DataFrame(_rank_rows(run, unit), columns=list(_RANK_COLUMNS))
        if rows == "ranks"
        else pd.DataFrame(_question_rows(run, as_text=form == "csv"))
    )
    if rows == "ranks" and frame["score"].isna().all():
        frame = frame.drop(columns="score")  # a reader would take an empty score for a broken one
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path, index=False)
    return len(frame)


def _ranks_sessions(run: Run, method: str) -> bool:
    """Whether an arm ranks sessions only, which an imported one may."""
    return run.config.get(method, {}).get("unit") == "session"


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A result's ids in rank order. Scores never rise with the rank; None where sessions stand for a method's notes."""

    unit: Ranked
    ids: Sequence[str]
    scores: Sequence[float | None]


def _ranked(run: Run, result: QuestionResult, unit: Ranked | None) -> _Ranked:
    own: Ranked = "session" if _ranks_sessions(run, result.method) else "note"
    if unit == "session" and own == "note":
        return _Ranked("session", result.session_ids, [None] * len(result.session_ids))
    ids = result.session_ids if own == "session" else result.note_ids
    return _Ranked(own, ids, _levelled(result.scores))


def _levelled(scores: Iterable[float]) -> list[float]:
    """Scores of one tie may differ by rounding, in any order; a reader that sorts by score has to keep ours."""
    found: list[float] = []
    for score in scores:
        found.append(min(score, found[-1]) if found else score)
    return found


def _trec(run: Run, unit: Ranked | None) -> Iterator[str]:
    """Scores are made from ranks, so that a reader that sorts by score keeps our order of ties."""
    for result in run.results:
        ids = _ranked(run, result, unit).ids
        for rank, id_ in enumerate(ids, 1):
            yield f"{query_id(result)} Q0 {outside(id_)} {rank} {len(ids) - rank + 1} {outside(result.method)}\n"


def _write_json(run: Run, path: Path, unit: Ranked | None) -> int:
    """Written query by query; ids keep their blanks. Where there are no scores, they are made from ranks."""
    count = 0
    by_method: dict[str, list[QuestionResult]] = {}
    for result in run.results:
        by_method.setdefault(result.method, []).append(result)

    def queries(results: Iterable[QuestionResult]) -> Iterator[str]:
        nonlocal count
        for result in results:
            ranked = _ranked(run, result, unit)
            made = range(len(ranked.ids), 0, -1)
            scores = {id_: m if s is None else s for id_, s, m in zip(ranked.ids, ranked.scores, made, strict=True)}
            count += len(scores)
            yield f"{json.dumps(f'{result.case}/{result.question}')}: {json.dumps(scores)}"

    with path.open("w", encoding="utf-8", newline="\n") as stream:
        if len(by_method) == 1:
            _write_object(stream.write, queries(run.results))
        else:
            _write_object(stream.write, (f"{json.dumps(name)}: {_object(queries(own))}" for name, own in by_method.items()))
    return count


def _object(members: Iterable[str]) -> str:
    pieces: list[str] = []
    _write_object(pieces.append, members)
    return "".join(pieces)


def _write_object(write_text: Callable[[str], Any], members: Iterable[str]) -> None:
    """A JSON object with a line for each member."""
    write_text("{")
    for at, member in enumerate(members):
        write_text(f"{',' if at else ''}\n{member}")
    write_text("\n}\n")


def _rank_rows(run: Run, unit: Ranked | None) -> Iterator[tuple[Any, ...]]:
    for r in run.results:
        ranked = _ranked(run, r, unit)
        for rank, (id_, score) in enumerate(zip(ranked.ids, ranked.scores, strict=True), 1):
            ids = (id_, None) if ranked.unit == "note" else (None, id_)
            yield (run.id, query_id(r), r.case, r.question, r.type, r.method, rank, *ids, score)


def _question_rows(run: Run, as_text: bool) -> Iterator[dict[str, Any]]:
    """Lists are JSON texts in CSV, which has none. A measure that is not available is an empty cell."""

    def listed(values: Sequence[Any]) -> Any:
        return json.dumps(list(values)) if as_text else list(values)

    names = list(dict.fromkeys(name for result in run.results for name in result.measures))
    for r in run.results:
        yield {
            "run": run.id,
            "query": query_id(r),
            "case": r.case,
            "question": r.question,
            "type": r.type,
            "method": r.method,
            "headline": r.headline,
            "candidates": r.candidates,
            "notes": listed(r.note_ids),
            "scores": listed(r.scores),
            "sessions": listed(r.session_ids),
            "remarks": listed(r.remarks),
            **{name: r.measures.get(name) for name in names},
        }


@dataclass(frozen=True)
class Judgements:
    """What was written of a run's judgements: rows, questions, and those that no file of ids can hold a judgement of."""

    rows: int
    questions: int
    without: tuple[str, ...]


def write_qrels(run: Run, inputs: Iterable[CaseInput], path: Path, *, unit: Ranked = "note") -> Judgements:
    """Write what answers a run's questions as TREC qrels, in the ids of its TREC export.

    Parameters
    ----------
    run : Run
    inputs : iterable of CaseInput
        The run's cases.
    path : Path
    unit : "note" or "session"
        A run of notes can be held against either, once its notes are sessions (``write(..., unit="session")``).

    Returns
    -------
    Judgements
        ``without`` names questions whose gold the history does not hold: we count them as misses, readers of the file do not
        know of them.
    """
    asked = {(result.case, result.question) for result in run.results}
    lines: list[str] = []
    without: list[str] = []
    for given in inputs:
        for question in given.case.questions:
            if (given.case.key, question.id) not in asked:
                continue
            found, name = relevance(question, given.notes), question_name(given.case.key, question.id)
            ids = sorted(found.notes if unit == "note" else found.sessions)
            lines += [f"{name} 0 {outside(id_)} 1\n" for id_ in ids]
            without += [name] if not ids else []
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return Judgements(len(lines), len(asked), tuple(without))
