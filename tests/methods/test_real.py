"""`real` and its baseline `vanilla_graph` over what people said: history kept against history overwritten, and every switch."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from made_facts import COUSINS, PARIS, day, fact, said, told

from workbench.datasets.read import read
from workbench.errors import BadInput, MissingPart
from workbench.evaluate.judging import judged_questions
from workbench.evaluate.measures.base import compute
from workbench.evaluate.sweeps.base import Options, sweeps
from workbench.memory import Memory
from workbench.methods.base import create, methods
from workbench.notes import interactions
from workbench.records import Loaded, Note, Ranking
from workbench.settings import ablation_switches

MOVES = (
    said("v1", day(1, 10), "Vera", "I live in Paris."),
    said("v2", day(3, 4), "Vera", "I moved to London on 26 February."),
    said("v3", day(6, 2), "Vera", "I moved back to Paris yesterday."),
    said("v4", day(6, 3), "Vera", "I might move to Rome."),
)
FAMILY = (
    said("n1", day(5, 6), "Nora", "My cousin Felix married Inga last year."),
    said("n2", day(5, 7), "Paul", "I met Inga in Oslo."),
)
PETS = (
    said("a1", day(1, 1), "Ada", "I adopted a beagle."),
    said("a2", day(1, 2), "Ben", "A beagle is a kind of dog."),
    said("a3", day(2, 1), "Ada", "I work at Orbit Labs."),
    said("a4", day(4, 1), "Ada", "I no longer work at Orbit Labs."),
)
JOBS = (
    said("j1", day(1, 5), "Uma", "I work at Fig Farm."),
    said("j2", day(4, 5), "Uma", "I work for Orbit Labs now."),
    said("j3", day(4, 6), "Uma", "I like tea."),
)


def ask(text: str, notes: Any, at: datetime | None = None, name: str = "real", **overrides: Any) -> Ranking:
    people = tuple(dict.fromkeys(turn.speaker for note in notes for turn in note.interaction.turns))
    return create(name, overrides=overrides, memory=Memory(notes, people)).query(text, None, at)


def ids(ranking: Ranking) -> list[str]:
    return [hit.note_id for hit in ranking.hits]


# Facts that change ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("at", "note"), [(day(2, 1), "v1"), (day(4, 1), "v2"), (day(7, 1), "v3")])
def test_the_answer_is_what_held_when_it_was_asked(at: datetime, note: str) -> None:
    assert ids(ask("Where does Vera live?", MOVES, at)) == [note]


def test_a_month_in_the_question_is_answered_from_history() -> None:
    assert ids(ask("Where did Vera live in March?", MOVES)) == ["v2"]


def test_a_question_about_change_gets_every_version() -> None:
    assert set(ids(ask("How has where Vera lives changed?", MOVES))) == {"v1", "v2", "v3"}


def test_the_overwriting_graph_has_lost_the_history() -> None:
    for text in ("Where did Vera live in March?", "How has where Vera lives changed?", "Where does Vera live?"):
        assert ids(ask(text, MOVES, name="vanilla_graph")) == ["v4"]  # the last thing said, sure or not


@pytest.mark.parametrize(
    ("text", "gold", "at"),
    [
        ("Where did Uma work in February?", "j1", None),
        ("Where does Uma work?", "j2", day(6)),
        ("Where does Uma work?", "j1", day(2)),
    ],
)
def test_an_employer_of_the_past_is_still_there(text: str, gold: str, at: datetime | None) -> None:
    assert ids(ask(text, JOBS, at))[0] == gold
    assert "j1" not in ids(ask(text, JOBS, at, "vanilla_graph"))


# Inferences -----------------------------------------------------------------------------------------------------------------


def test_a_marriage_is_found_from_its_other_end() -> None:
    found = ask("Who is Inga married to?", FAMILY)
    assert ids(found) == ["n1", "n2"]
    [_, part] = found.hits[0].why.parts
    assert (part.detail["inferred"], part.detail["arithmetic"]) == ("symmetry", "0.95 x 0.90 = 0.855")
    assert found.hits[0].why.path[0].startswith("Inga -[spouse of")


def test_without_counterfactual_rules_there_is_no_evidence() -> None:
    found = ask("Who is Inga married to?", FAMILY, counterfactual=False)
    assert found.hits == ()
    assert "no fact leads from the question's nodes" in found.remarks


def test_a_beagle_is_a_dog() -> None:
    assert set(ids(ask("Does Ada have a dog?", PETS))[:2]) == {"a1", "a2"}


def test_the_last_employer_is_told_for_a_while() -> None:
    found = ask("Where does Ada work?", PETS, day(5, 1))
    assert set(ids(found)[:2]) == {"a3", "a4"}  # what was said, and that it is over
    assert found.hits[0].why.parts[1].detail["confidence"] == pytest.approx(0.81 * 0.5 ** (30 / 365))
    late = ask("Where does Ada work?", PETS, day(3, 1, 2025))
    assert not {"a3", "a4"} & set(ids(late))


# Switches -------------------------------------------------------------------------------------------------------------------

CHAIN = (
    fact("Tom", "owns", "sailing boat", day(1), note="t1"),
    fact("sailing boat", "made", "Lund yard", day(2), note="t2"),
    fact("Lund yard", "located_in", "Oslo", day(3), note="t3"),
)
SWITCHED = {
    "intervals": (PARIS, "Where does Vera live?", day(4, 1), {"v2"}, {"v1", "v2", "v3"}),
    "confidence": (PARIS, "Where does Vera live?", day(7, 1), {"v3"}, {"v4"}),
    "intents": (PARIS, "How has where Vera lives changed?", day(7, 1), {"v1", "v2", "v3"}, {"v3"}),
    "evaluator": (CHAIN, "In which town is the yard that made the boat of Tom?", day(7, 1), {"t1", "t2", "t3"}, {"t1"}),
    "counterfactual": (COUSINS, "Who is Inga married to?", day(7, 1), {"n1", "n2"}, set()),
}


def test_every_part_that_the_source_ablates_has_a_switch() -> None:
    assert ablation_switches(methods["real"].Config) == tuple(SWITCHED)


@pytest.mark.parametrize("switch", list(SWITCHED))
def test_every_switch_changes_a_result(switch: str) -> None:
    facts, text, at, with_it, without_it = SWITCHED[switch]
    others: dict[str, Any] = {"counterfactual": False} if switch == "evaluator" else {}
    assert set(ids(told(facts, **others).query(text, None, at))) == with_it
    assert set(ids(told(facts, **(others | {switch: False})).query(text, None, at))) == without_it


@pytest.mark.parametrize(
    ("sweep", "field"), [("theta_stable", "theta_stable"), ("beam_width", "beam_width"), ("beam_depth", "depth")]
)
def test_sweeps_move_one_field_of_real(sweep: str, field: str) -> None:
    arms = sweeps[sweep].arms(Options())
    values = [getattr(create(arm.name, overrides=arm.overrides).config, field) for arm in arms]
    assert values == sorted(set(values))
    assert len(values) >= 4


# Ranking --------------------------------------------------------------------------------------------------------------------


def test_evidence_comes_before_what_was_pruned() -> None:
    facts = [fact("Tom", "likes", f"thing {at}", day(1), note=f"t{at}") for at in range(6)]
    found = told(facts, beam_width=2).query("What does Tom like?", None)
    assert dict(found.tiers) == {"in the evidence": 2, "found, then pruned": 4}
    assert [hit.why.parts[0].value for hit in found.hits] == [2.0] * 2 + [1.0] * 4


def test_the_tail_ranks_what_no_fact_speaks_for_behind_all_else() -> None:
    notes = (*MOVES, said("x", day(6, 4), "Vera", "Vera live live live"))
    plain, tailed = ask("Where does Vera live?", notes, day(7)), ask("Where does Vera live?", notes, day(7), tail="bm25")
    assert ids(tailed)[: len(plain.hits)] == ids(plain)
    assert len(tailed.hits) > len(plain.hits)
    assert tailed.hits[-1].why.parts[0].name == "fallback: words alone"


def test_a_note_counts_by_its_best_fact_not_by_their_number() -> None:
    facts = [fact("Tom", "likes", "tea", day(1), note="one")]
    facts += [fact("Tom", "verb:juggle", f"pin {at}", day(1), note="many") for at in range(9)]
    assert ids(told(facts).query("Does Tom like tea?", None))[0] == "one"


def test_remarks_tell_filters_and_nodes_visited() -> None:
    remarks = ask("Where does Vera live?", MOVES, day(7)).remarks
    assert {"1 held back by confidence", "2 held back by interval", "2 nodes visited"} <= set(remarks)


# Facts made elsewhere -------------------------------------------------------------------------------------------------------


def test_a_models_facts_must_have_been_made() -> None:
    with pytest.raises(MissingPart, match="workbench facts CASE --extractor llm"):
        ask("Where does Vera live?", MOVES, facts="llm", fact_model="some-model")


def test_relations_of_a_file_are_known(tmp_path: Path) -> None:
    extra = tmp_path / "more.yaml"
    extra.write_text("captain_of: {cardinality: single, verbs: [captain], words: [captain]}")
    notes = (said("c1", day(1), "Uma", "I captain the Otters."), said("c2", day(3), "Uma", "I captain the Herons."))
    assert ids(ask("Which team does Uma captain?", notes, day(5), relations=str(extra))) == ["c2"]
    assert len(ask("Which team does Uma captain?", notes, day(5)).hits) == 2


@pytest.mark.parametrize("content", ["- a list", "x: {cardinality: some}", "x: {colour: red}", "x: [unclosed"])
def test_a_relations_file_that_does_not_fit_is_refused(tmp_path: Path, content: str) -> None:
    extra = tmp_path / "bad.yaml"
    extra.write_text(content)
    with pytest.raises(BadInput, match=r"bad\.yaml"):
        ask("Where does Vera live?", MOVES, relations=str(extra))


# Passages -------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_passages_of_a_real_pool_are_searched(real_data: Path) -> None:
    [case] = [each.case for each in read(real_data / "multihop" / "hotpotqa_train100.json") if isinstance(each, Loaded)]
    memory = Memory(map(Note, interactions(case)))
    judged, _ = judged_questions(case.questions, memory.notes)
    gold = {each.question.id: each.relevant.notes for each in judged}
    for name in ("real", "vanilla_graph"):
        method = create(name, memory=memory)
        rankings = {each.question.id: ids(method.query(each.question.text, 5)) for each in judged}
        for measure, values in compute(("recall@2", "recall@5"), rankings, gold).items():
            mean = sum(value or 0.0 for value in values.values()) / len(values)
            assert mean > 0.1, f"{name} {measure} is {mean:.3f} over {len(memory)} passages, hardly more than chance"
