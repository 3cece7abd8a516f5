"""REAL: facts read a second, what a question costs, and how both grow with the number of facts.

    python bench/real.py [--facts 1000,10000,50000] [--store FILE --case KEY]

Reading is measured on the demonstration cases, or on a stored case, whose questions are then asked too. For growth the facts are
invented: people, relations with one and with many values, things that come again.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from workbench.datasets.read import read
from workbench.evaluate.inputs import case_input
from workbench.evaluate.judging import judged_questions
from workbench.evaluate.runs import CaseInput
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.notes import interactions
from workbench.real.case_facts import facts_of, keep_facts
from workbench.real.facts import Fact, fact_id
from workbench.real.relations import relations
from workbench.real.retrieval import fates, search_memory, support
from workbench.records import Interaction, Loaded, Note, Turn
from workbench.store import open_store

ROOT = Path(__file__).resolve().parent.parent
FACTS_A_NOTE = 5
PEOPLE = 40
QUESTIONS = 40
RELATIONS = ("lives_in", "works_at", "likes", "visited", "owns", "met", "made", "verb:juggle")


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def told(memories: list[Memory], questions: list[list[str]]) -> None:
    """Reading, preparing and asking."""
    config = create("real").config
    begin = time.perf_counter()
    facts = sum(len(facts_of(memory, config)) for memory in memories)
    reading = time.perf_counter() - begin
    notes = sum(map(len, memories))
    print(f"read {facts:,} facts from {notes:,} notes: {facts / reading:,.0f} facts/s, {notes / reading:,.0f} notes/s")
    if any(questions):
        for name in ("real", "vanilla_graph"):
            methods = [create(name, memory=memory) for memory in memories]
            warm = sum(seconds(partial(method.query, "What is it?")) for method in methods)
            times = [
                seconds(partial(method.query, text)) for method, texts in zip(methods, questions, strict=True) for text in texts
            ]
            report(name, warm, times)


def gold(given: CaseInput) -> None:
    """What became of the gold notes, and the share of them in the evidence beside bm25 cut at the evidence's size."""
    memory = given.memory()
    real, words = create("real", memory=memory), create("bm25", memory=memory)
    judged, _ = judged_questions(given.case.questions, memory.notes)
    became: Counter[str] = Counter()
    shares: dict[str, list[float]] = {"evidence": [], "bm25 at equal size": []}
    for each in judged:
        wanted, asked = each.relevant.notes, each.question
        searched = search_memory(memory, real.config, real.config.embeddings, asked.text, asked.time)
        became.update(fates(searched, wanted).values())
        evidence = {note for note, item in support(searched.found).items() if item.tier == 1}
        first = {hit.note_id for hit in words.query(asked.text, max(1, len(evidence))).hits} if evidence else set()
        for name, notes in zip(shares, (evidence, first), strict=True):
            shares[name].append(len(wanted & notes) / len(wanted))
    print(f"gold notes of {len(judged)} questions: {', '.join(f'{name} {count}' for name, count in became.most_common())}")
    print("share of gold in " + ", in ".join(f"{name} {statistics.mean(values):.3f}" for name, values in shares.items()))


def report(what: str, warm: float, times: list[float]) -> None:
    slow = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    print(
        f"{what}: warm-up {warm:.2f} s, then {1000 * statistics.median(times):.1f} ms a question "
        f"(95% under {1000 * slow:.0f}, worst {1000 * max(times):.0f})"
    )


def invented(count: int) -> Iterator[tuple[Note, list[Fact]]]:
    """Notes with five facts each."""
    draw, registry, start = random.Random(0), relations(), datetime(2020, 1, 1)
    things = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(4, 9))) for _ in range(max(50, count // 3))]
    for number in range(count // FACTS_A_NOTE):
        at = start + timedelta(hours=number)
        facts = []
        for place in range(FACTS_A_NOTE):
            head = f"Person{draw.randrange(PEOPLE)}" if draw.random() < 0.7 else draw.choice(things)
            relation, tail = draw.choice(RELATIONS), draw.choice(things)
            aspect = registry[relation].aspect or "event"
            end = at + timedelta(days=1) if aspect == "event" else None
            sure, note, id = (
                draw.choice((0.4, 0.9, 0.9, 0.9)),
                f"n{number}",
                fact_id(f"n{number}", 0, place, (head, relation, tail)),
            )
            recorded = (at, number, 0, 0, place)
            facts.append(Fact(id, head, relation, tail, at, end, sure, "FACT", note, 0, recorded, aspect))
        said = " ".join(f"{fact.head} {fact.relation} {fact.tail}." for fact in facts)
        yield Note(Interaction(f"n{number}", f"s{number // 8}", (Turn("user", said),), number, 0, at)), facts


def growth(count: int) -> None:
    given = list(invented(count))
    memory = Memory([note for note, _ in given])
    overrides = {"facts": "llm", "fact_model": "invented"}
    method = create("real", overrides=overrides, memory=memory)
    keep_facts(memory, method.config, {note.id: facts for note, facts in given})
    draw = random.Random(1)
    asked = [f"What does Person{draw.randrange(PEOPLE)} like about {draw.choice(given)[1][0].tail}?" for _ in range(QUESTIONS)]
    warm = seconds(partial(method.query, asked[0]))
    report(f"{count:,} facts", warm, [seconds(partial(method.query, text)) for text in asked])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="1000,10000,50000", help="sizes of the invented graphs; empty for none")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--case")
    options = parser.parse_args()
    create("real", memory=Memory([Note(Interaction("n", "s", (Turn("user", "I live in Paris."),), 0, 0))])).query(
        "loads the models"
    )
    if options.store:
        with open_store(options.store, read_only=True) as store:
            given = case_input(store, options.case, None, ())
        told([Memory(given.notes, given.case.participants)], [[question.text for question in given.case.questions]])
        gold(given)
    else:
        cases = [item.case for item in read(ROOT / "data" / "demo") if isinstance(item, Loaded)]
        told([Memory(map(Note, interactions(case)), case.participants) for case in cases], [[] for _ in cases])
    for size in filter(None, options.facts.split(",")):
        growth(int(size))
    print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
