"""The readers of histories: files cut from real and demo data, and the promises of `workbench.datasets`."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from fuzz import mutations
from fuzz.subjects import Outcome, Subject, promise
from workbench.datasets.base import datasets
from workbench.datasets.history import write_jsonl
from workbench.datasets.read import detect, read
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.notes import from_markdown, interactions, to_markdown, write_notes
from workbench.records import Case, Finding, Loaded, Note

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "data" / "demo"
STORED_SHARE = 0.04
"""Of the inputs that are also ingested, stored and asked: that costs as much as reading a hundred."""
ASKED = ("bm25", "tag_basic", "tag_tfidf", "adaptive", "openclaw", "dense")


def real_folder() -> Path | None:
    """The real benchmark data: ``$WORKBENCH_DATA``, or ``../shared/data`` beside the project."""
    named = os.environ.get("WORKBENCH_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


# Files to spoil -----------------------------------------------------------------------------------------------------------


def _cut(value: Any, longest: int = 4, chars: int = 300) -> Any:
    """A real record in small: the first elements of every list, the beginnings of texts."""
    if isinstance(value, str):
        return value[:chars]
    if isinstance(value, list):
        return [_cut(inner, longest, chars) for inner in value[:longest]]
    if isinstance(value, dict):
        return {name: _cut(inner, longest, chars) for name, inner in list(value.items())[:40]}
    return value


def _listed(path: Path, count: int = 6) -> list[Any]:
    content = path.read_bytes()
    return [_cut(one) for one in json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)[:count]]


def _story(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return found


@cache
def records_of(name: str) -> list[Any]:
    """Small records of a format, from the real data where they are there and else from the demo's."""
    real = real_folder()
    stories = [_story(path) for path in sorted((DEMO / "stories").glob("*.yaml"))[:4]]
    demo = _listed(DEMO / "longmemeval_demo.json")
    match name:
        case "longmemeval":
            return demo + (_listed(real / "longmemeval" / "longmemeval_oracle_subset.json.gz") if real else [])
        case "locomo":
            return _listed(real / "locomo" / "locomo8.json", 3) if real else [_talk(stories[0])]
        case "atant":
            return stories + ([_story(path) for path in sorted((real / "atant").glob("*.yaml"))] if real else [])
        case "hotpotqa":
            return _listed(real / "multihop" / "hotpotqa_train100.json") if real else [_passages(stories[0])]
        case "2wikimultihopqa":
            return (
                _listed(real / "multihop" / "2wikimultihopqa_101.json") if real else [_passages(stories[1]) | {"evidences": []}]
            )
        case "musique":
            return _listed(real / "multihop" / "musique_train100.json") if real else [_paragraphs(stories[0])]
        case "messages":
            return [{"id": one["question_id"], "messages": one["haystack_sessions"][0]} for one in demo]
        case "chatgpt":
            return [_tree(one["question_id"], one["haystack_sessions"][0]) for one in demo]
        case "history":
            return _own()
    raise KeyError(name)


def _talk(story: dict[str, Any]) -> dict[str, Any]:
    turns = [
        {"speaker": "AB"[i % 2], "dia_id": f"D1:{i + 1}", "text": one["user_input"]} for i, one in enumerate(story["batches"])
    ]
    talk = {"speaker_a": "A", "speaker_b": "B", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    asked = [{"question": one["question"], "answer": "x", "evidence": ["D1:1"], "category": 4} for one in story["questions"]]
    return {"sample_id": "conv-1", "conversation": talk, "qa": asked}


def _passages(story: dict[str, Any]) -> dict[str, Any]:
    context = [[f"Batch {one['batch']}", [one["user_input"]]] for one in story["batches"]]
    question = story["questions"][0]["question"]
    return {
        "_id": "h1",
        "question": question,
        "answer": "x",
        "type": "bridge",
        "supporting_facts": [["Batch 1", 0]],
        "context": context,
    }


def _paragraphs(story: dict[str, Any]) -> dict[str, Any]:
    found = [
        {"idx": i, "title": f"Batch {i}", "paragraph_text": one["user_input"], "is_supporting": i == 0}
        for i, one in enumerate(story["batches"])
    ]
    return {"id": "2hop__1", "question": story["questions"][0]["question"], "answer": "x", "paragraphs": found}


def _tree(identity: str, turns: list[dict[str, Any]]) -> dict[str, Any]:
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for number, turn in enumerate(turns):
        message = {
            "author": {"role": turn["role"]},
            "create_time": 1.7e9 + number,
            "content": {"content_type": "text", "parts": [turn["content"]]},
            "recipient": "all",
        }
        parent = f"n{number - 1}" if number else "root"
        nodes[f"n{number}"] = {"id": f"n{number}", "message": message, "parent": parent, "children": [f"n{number + 1}"]}
    return {"conversation_id": identity, "create_time": 1.7e9, "mapping": nodes, "current_node": f"n{len(turns) - 1}"}


@cache
def cases() -> list[Case]:
    """The demo's cases, small."""
    return [item.case for item in read(DEMO) if isinstance(item, Loaded)][:6]


@cache
def _own() -> list[Any]:
    """Lines of the own format: two histories, one of them with notes."""
    lines: list[Any] = []
    for case in cases()[:2]:
        said = [{"role": turn.role, "text": turn.text[:200], "ref": turn.ref} for turn in case.sessions[0].turns[:3]]
        when = "2024-05-02T18:30"
        lines += [{"case": case.id, "benchmark": case.benchmark, "title": case.title, "unit": "round"}]
        lines += [{"session": "a", "time": when, "turns": said}, {"session": "b", "role": "user", "text": "Hello", "position": 2}]
        lines += [{"question": "Who?", "id": "q1", "answer": "x", "gold": {"turns": [said[0]["ref"]], "sessions": ["a", "b"]}}]
    lines += [{"case": "tagged", "participants": ["A", "B"]}]
    lines += [
        {"note": f"a#{n}", "session": "a", "round": n, "position": 0, "turns": [{"role": "user", "text": f"Note {n}"}]}
        | {"who": ["person/ada"], "what": ["food/cake", "food/bread"], "summary": "Ada baked."}
        for n in (1, 2)
    ]
    return [*lines, {"question": "What?", "gold": {"notes": ["a#1"], "grades": {"a#2": 2}}}]


# Making an input ----------------------------------------------------------------------------------------------------------


def _dumped(rng: random.Random, records: list[Any], as_lines: bool) -> bytes:
    ascii_only = rng.random() < 0.5
    texts = [json.dumps(one, ensure_ascii=ascii_only) for one in records]
    if as_lines:
        joined = "\n".join(texts)
    elif len(texts) == 1 and rng.random() < 0.3:
        joined = texts[0]
    else:
        joined = f"[{rng.choice((',', ', ', chr(10) + ','))[:9].join(texts)}]"
    return joined.encode("utf-8", "surrogatepass")


def _spoiled(rng: random.Random, content: bytes, name: str) -> bytes:
    """Sometimes the text or the bytes are spoiled as well, and sometimes packed."""
    if rng.random() < 0.25:
        content = mutations.text(rng, content.decode("utf-8", "replace")).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        content = mutations.data(rng, content)
    return mutations.packed(rng, content, name) if rng.random() < 0.1 else content


def _make(name: str, rng: random.Random, folder: Path) -> Path:
    whole = name == "history"
    records: Any = (
        list(records_of(name)) if whole else rng.sample(records_of(name), min(len(records_of(name)), rng.randint(1, 3)))
    )
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        records = mutations.value(rng, records)
    if not isinstance(records, list):
        records = [records]
    if name == "atant" and rng.random() < 0.6:
        path = folder / "story.yaml"
        documents = "---\n".join(yaml.safe_dump(one, allow_unicode=True, sort_keys=False) for one in records)
        path.write_bytes(_spoiled(rng, documents.encode("utf-8", "surrogatepass"), path.name))
        return path
    as_lines = rng.random() < (0.7 if whole else 0.25)
    path = folder / (
        "conversations.json" if name == "chatgpt" else f"data.{'jsonl' if as_lines and rng.random() < 0.7 else 'json'}"
    )
    if name in ("hotpotqa", "musique", "2wikimultihopqa") and (name[0] == "2" or rng.random() < 0.2):
        pool: Any = [{"title": f"Title {n}", "text": f"Text {n}."} for n in range(3)]
        (folder / "data_corpus.json").write_bytes(
            _spoiled(rng, _dumped(rng, [mutations.value(rng, pool)], False), "data_corpus.json")
        )
    path.write_bytes(_spoiled(rng, _dumped(rng, records, as_lines), path.name))
    return path


def _make_texts(rng: random.Random, folder: Path) -> Path:
    """A folder, or one file, of notes and transcripts."""
    case = rng.choice(cases())
    found = interactions(case)[:3]
    if rng.random() < 0.6:
        write_notes([Note(one) for one in found], folder)
    else:
        said = "\n\n".join(
            f"{'User' if turn.role == 'user' else 'Assistant'}: {turn.text}" for one in found for turn in one.turns
        )
        (folder / f"2024-05-02 talk.{rng.choice(('txt', 'md'))}").write_text(said, encoding="utf-8")
    files = sorted(folder.iterdir())
    for file in rng.sample(files, rng.randint(1, len(files))):
        content = file.read_bytes()
        for _ in range(rng.choice((1, 1, 2, 4))):
            content = _spoiled(
                rng, mutations.text(rng, content.decode("utf-8", "replace")).encode("utf-8", "surrogatepass"), file.name
            )
        file.write_bytes(content)
    return folder if rng.random() < 0.5 else rng.choice(files)


def _make_whole(rng: random.Random, folder: Path) -> Path:
    """A whole real or demo file, spoiled at a few places."""
    real = real_folder()
    found = [*(DEMO / "stories").glob("*.yaml"), DEMO / "longmemeval_demo.json"]
    found += (
        [path for path in real.rglob("*") if path.suffix in (".json", ".yaml", ".gz") and path.stat().st_size < 2_000_000]
        if real
        else []
    )
    chosen = rng.choice(sorted(found))
    content = chosen.read_bytes()
    for _ in range(rng.randint(1, 4)):
        content = mutations.data(rng, content)
    path = folder / chosen.name
    path.write_bytes(content)
    return path


# The promises -------------------------------------------------------------------------------------------------------------


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, (tuple, list)):
            stack.extend(one)
        elif hasattr(one, "__dataclass_fields__"):
            stack.extend(getattr(one, name) for name in one.__dataclass_fields__)


def expected_records(path: Path, format: str) -> int | None:
    """How many records a file holds, counted by another way than the readers'; None where that can't be said."""
    if not path.is_file() or path.suffix not in (".json", ".jsonl"):
        return None
    try:
        text = path.read_bytes().decode("utf-8").lstrip("\ufeff").lstrip()
        if path.suffix == ".jsonl":
            return (
                None if format == "atant" or text[:1] not in ("[", "{") else sum(bool(line.strip()) for line in text.split("\n"))
            )
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    listed = found if isinstance(found, list) else [found]
    if format == "atant":
        return sum(len(one["stories"]) if isinstance(one, dict) and isinstance(one.get("stories"), list) else 1 for one in listed)
    return len(listed)


def check_loader(rng: random.Random, path: Path, named: str = "auto") -> Outcome:
    """Read a path and hold the reader to its promises."""
    seen, mended, loaded = 0, False, []
    try:
        format = detect(path) if named == "auto" else named
        for item in read(path, named):
            for finding in (item,) if isinstance(item, Finding) else item.findings:
                promise(f"{finding.reason}{finding.position}".isprintable(), f"a finding is printable: {finding!r}")
                seen, mended = seen + finding.is_record, True
            if isinstance(item, Loaded):
                seen += item.kept + item.repaired
                loaded.append(item.case)
        expected = expected_records(path, format)
        promise(expected is None or seen == expected, f"loaded + repaired + set aside = seen: {seen} of {expected} ({format})")
    except WorkbenchError as error:
        promise(str(error).isprintable(), f"an error is one printable line: {str(error)!r}")
        promise(str(path) in str(error) or str(path.parent) in str(error), f"an error names the file: {error}")
        format, mended = "", True
        if not loaded:
            return "refused"
    for case in loaded:
        check_case(case, path.parent.parent if path.is_file() else path.parent)
    if loaded and rng.random() < STORED_SHARE:
        check_stored(rng, path, loaded)
    return "mended" if mended else "read"


def check_case(case: Case, scratch: Path) -> None:
    """What was read can be stored and printed, and its notes and its export read back equal."""
    for said in _strings(case):
        promise("\0" not in said, f"no NUL is left in a text: {said[:40]!r}")
        said.encode("utf-8")
    for one in case.notes or tuple(Note(each) for each in interactions(case)):
        promise(from_markdown(to_markdown(one)) == one, f"a note reads back equal: {one.id!r}")
    export = scratch / "export.jsonl"
    write_jsonl(case, export)
    back = [item.case for item in read(export, "history") if isinstance(item, Loaded)]
    promise(back == [case], f"an exported case reads back equal: {case.key!r}")
    export.unlink()


def check_stored(rng: random.Random, path: Path, loaded: list[Case]) -> None:
    """Ingest, store, and ask some methods."""
    store = path.parent.with_name(f"{path.parent.name}-store.duckdb")
    try:
        report = ingest([(str(path), read(path))], store, extractors["rules"]())
        keys = dict.fromkeys(case.key for case in loaded)
        promise(report.cases <= len(keys) and bool(report.cases), f"cases are stored: {report.cases} of {len(keys)}")
        kept = [key for key in keys if not any(item.case == key and item.finding.is_record for item in report.findings)]
        for given in case_inputs(store, kept[:2]):
            if any(question.gold for question in given.case.questions):
                evaluate([given], [MethodSpec(name) for name in rng.sample(ASKED, 2)], {"extractor": "rules"})
    finally:
        store.unlink(missing_ok=True)


JSON_FORMATS = ("longmemeval", "locomo", "atant", "hotpotqa", "2wikimultihopqa", "musique", "messages", "chatgpt", "history")
SUBJECTS = (
    *(Subject(name, 8, partial(_make, name), check_loader) for name in JSON_FORMATS),
    Subject("notes and transcripts", 10, _make_texts, check_loader),
    Subject("whole files", 2, _make_whole, check_loader),
)
assert set(JSON_FORMATS) <= set(datasets)
