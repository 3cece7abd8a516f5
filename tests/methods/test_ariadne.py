"""AriadneMem as a method: tiers, reasons, ablations and sweeps, stored states, incremental equals batch."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ariadne_dialogues import BIKE, BIKE_QUESTION, CAT, MAY, MEETING, at, chatter, line_note, method, talk

from workbench.ariadne.index import DECIDED, READ
from workbench.evaluate.ablations import ablation
from workbench.evaluate.inputs import case_input
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.evaluate.sweeps.base import Options, sweeps
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.settings import ablation_switches
from workbench.store import open_store

QUESTION = "What did Mara do with the violin and the ferry?"


def test_evidence_comes_first_and_the_rest_after_it() -> None:
    made = method(talk(*chatter(6, 20)), budget_most=8, budget_least=8, gate=False)
    found = made.query(QUESTION, None)
    trace = made.trace(QUESTION)
    tiers = [hit.why.parts[-1].detail["tier"] for hit in found.hits]
    assert tiers == sorted(tiers)
    assert found.tiers == {"evidence": tiers.count(1), "pruned": tiers.count(2)}
    assert len(trace.budget.kept) == 8
    assert tiers.count(2) > 0
    assert all((hit.score >= 0) == (tier == 1) for hit, tier in zip(found.hits, tiers, strict=True))


def test_a_note_is_ranked_by_its_best_entry_alone() -> None:
    made = method(talk(*CAT))
    hits = {hit.note_id: hit for hit in made.query("the grey cat Miso", None).hits}
    assert hits["s1#1"].score == hits["s3#1"].score  # one entry stands for both
    assert hits["s1#1"].block == hits["s3#1"].block


def test_scores_are_relevances_and_every_reason_says_what_the_entry_is() -> None:
    made = method(talk(*BIKE), k_sem=2, k_lex=1)
    trace = made.trace(BIKE_QUESTION)
    for hit in made.query(BIKE_QUESTION, None).hits:
        (node,) = [node for node in trace.members if trace.index.nodes[node].entry.note_id == hit.note_id]
        assert hit.score == pytest.approx(trace.members[node].relevance)
        assert hit.why.remarks[0] in ("terminal", "bridge")
        assert "on a path" in hit.why.remarks
        assert hit.why.path == ("E1", "E3", "E6")


def test_it_finds_nothing_and_says_so_where_neither_leg_does() -> None:
    found = method(talk((MAY, "Ana", "I sing.")), k_sem=0).query("xylophone")
    assert found.hits == ()
    assert "neither leg finds an entry for this query" in found.remarks


def test_every_order_of_arrival_gives_the_same_ranking() -> None:
    notes = [line_note(number, line) for number, line in enumerate((*MEETING, *BIKE[:2]), 1)]
    expected = None
    for order in itertools.islice(itertools.permutations(notes), 0, 120, 17):
        made = create("ariadne", memory=Memory(participants=("Ana", "Lena", "Tom")))
        for note in order:
            made.remember(note)
            made.query("the budget meeting")
        found = [(hit.note_id, round(hit.score, 9), hit.why) for hit in made.query("When is the budget meeting?", None).hits]
        expected = expected or found
        assert found == expected


def test_the_papers_four_parts_are_its_switches() -> None:
    assert ablation_switches(type(create("ariadne").config)) == ("gate", "coarsening", "bridges", "topology")
    labels = [spec.arm for spec in ablation("ariadne")]
    assert labels == [
        "ariadne",
        *(f"ariadne - {part}" for part in ("gate", "coarsening", "bridges", "topology")),
        "ariadne - gate - coarsening - bridges - topology",
    ]


@pytest.mark.parametrize("switch", ["gate", "coarsening", "bridges", "topology"])
def test_every_switch_changes_what_a_made_up_talk_gives(switch: str) -> None:
    lines = (*CAT, *BIKE, *((at(MAY, day, 9), name, text) for day, (_, name, text) in zip((20, 21, 22), MEETING, strict=True)))
    question = "Could Ida's boss use my old cargo bike, and when is the budget meeting?"

    def told(**fields: bool) -> tuple[object, ...]:
        made = method(talk(*lines), k_sem=3, k_lex=2, **fields)
        trace = made.trace(question)
        return trace.context.text, [(node.refs, node.suppressed) for node in trace.index.nodes]

    assert told() != told(**{switch: False})


def test_both_legs_can_be_swept() -> None:
    assert [sweeps[name].points for name in ("k_sem", "k_lex")] == [(1, 10, 20, 30), (1, 3, 5, 10)]
    arms = sweeps["k_sem"].arms(Options())
    assert [create(arm.name, arm.profile, arm.overrides).config.k_sem for arm in arms] == [1, 10, 20, 30]
    sizes = [len(method(talk(*chatter(4, 12)), k_sem=k, k_lex=1).trace(QUESTION).terminals) for k in (1, 10, 20)]
    assert sizes == sorted(set(sizes))


def test_the_literal_profile_is_the_papers() -> None:
    config = create("ariadne", "literal").config
    assert (config.bounds.gate, config.bounds.coarsen, config.hub_share, config.path_order) == (0.6, 0.7, None, "length")
    assert (config.gate_value_guard, config.merge_value_guard, config.follow_updates) == (False, False, False)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"k_sem": 0, "k_lex": 0}, "one of them must be above"),
        ({"bridge_least_hours": 200}, "bridge_least_hours is 200"),
        ({"path_length": 4}, "path_length is 4; it is 2 to 3"),
        ({"embeddings": "nope"}, "no embedding backend 'nope'"),
        ({"extractor": "llm"}, "set model"),
    ],
)
def test_settings_that_do_not_fit_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create("ariadne", overrides=fields)


def test_a_run_keeps_what_was_worked_out_and_a_second_one_reads_it(own_demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(own_demo_store, read_only=True) as store:
        key = store.cases.list()[0].key
        row = store.extractions.choose(key)
    first = run_stored(own_demo_store, [key], [MethodSpec("ariadne")], row)
    with open_store(own_demo_store, read_only=True) as store:
        states = store.states.of_case(key)
        given = case_input(store, key)
    assert {state.kind for state in states} == {READ, DECIDED}
    assert sum(state.kind == DECIDED for state in states) == 1
    monkeypatch.setattr("workbench.ariadne.index.read_notes", None)
    monkeypatch.setattr("workbench.ariadne.index.decide", None)
    monkeypatch.setattr("workbench.embed.wordllama.WordLlama.embed", None)  # all vectors were kept as well
    made = create("ariadne", memory=given.memory())
    for result in first.results:
        question = next(each for each in given.case.questions if each.id == result.question)
        hits = made.query(question.text, None).hits
        assert tuple(hit.note_id for hit in hits)[:100] == result.note_ids
