"""The audit: its rows are what diagnosis says, its interventions hold when run again, its pool adds up in both units."""

from __future__ import annotations

from pathlib import Path

import pytest
from audited import METHODS, SPECS, audit_of, case_keys, demo_audit, row, with_second_extraction
from hypothesis import given
from hypothesis import strategies as st

from workbench.diagnose.audit import COUNTED_ONCE, OTHER_GOLD, OTHER_NOTE, NoteRow, audit
from workbench.diagnose.edits import AddTag, DropTag, apply, has_room
from workbench.diagnose.interventions import without_tags
from workbench.diagnose.pool import PoolRow, pooled
from workbench.diagnose.stages import diagnose
from workbench.diagnose.tags import tag_report
from workbench.errors import BadInput, WorkbenchError
from workbench.evaluate.inputs import case_input
from workbench.evaluate.ranks import sessions_of
from workbench.evaluate.runs import CaseInput, MethodSpec
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Note
from workbench.store import open_store
from workbench.text import Analyser


@pytest.fixture(scope="module")
def inputs(demo_store: Path) -> dict[str, CaseInput]:
    with open_store(demo_store, read_only=True) as store:
        return {key: case_input(store, key) for key in case_keys(demo_store)}


def asked(given_case: CaseInput, question: str) -> str:
    return next(each.text for each in given_case.case.questions if each.id == question)


def place(notes: tuple[Note, ...], method: str, text: str, wanted: set[str]) -> int | None:
    """Rank of the first of some notes in a memory built from nothing."""
    hits = create(method, memory=Memory(notes)).query(text, k=None).hits
    return next((hit.rank for hit in hits if hit.note_id in wanted), None)


def is_in(rank: int | None) -> bool:
    return rank is not None and rank <= 5


def test_rows_say_what_the_diagnosis_of_each_question_says(demo_store: Path, inputs: dict[str, CaseInput]) -> None:
    found = demo_audit(demo_store)
    rows = {(each.case, each.question, each.note, each.method): each for each in found.notes}
    seen = 0
    for key, given_case in inputs.items():
        memory = given_case.memory()
        for question in given_case.case.questions:
            for name in METHODS:
                method = create(name, memory=memory)
                ranked = sessions_of(method.query(question.text, k=None).hits)
                for trace in diagnose(memory, question, method).traces:
                    each = rows[key, question.id, trace.note_id, name]
                    seen += 1
                    assert (each.rank, each.stage) == (trace.place.rank if trace.place else None, trace.stage)
                    assert each.is_found == is_in(each.rank)
                    assert each.is_session_found == (each.session in ranked[:5])
                    report = tag_report(memory, each.note, question.text)
                    assert each.helpful == tuple(tag.path for tag in report.helpful)
                    assert each.is_graph == (name != "bm25")
    assert seen == len(found.notes) == len(rows) > 60
    assert {each.is_found for each in found.notes} == {True, False}


def test_each_repair_and_each_break_holds_in_a_memory_built_anew(demo_store: Path, inputs: dict[str, CaseInput]) -> None:
    repaired = broken = 0
    for each in demo_audit(demo_store).notes:
        notes, text = inputs[each.case].notes, asked(inputs[each.case], each.question)
        if each.repaired_by is not None:
            assert not each.is_found
            note = next(one for one in notes if one.id == each.note)
            kind = next(kind for kind in ("what", "extra") if has_room(note, kind))
            edited = apply(AddTag(each.note, each.repaired_by, kind), notes)
            assert is_in(place(edited, each.method, text, {each.note})), each
            repaired += 1
        if each.is_found and each.helpful:
            bare = apply([DropTag(path, each.note) for path in each.helpful], notes)
            assert each.is_broken == (not is_in(place(bare, each.method, text, {each.note}))), each
            broken += each.is_broken is True
        elif each.is_found:
            assert each.is_broken is False
    assert repaired > 3
    assert broken > 3


def test_a_repair_is_said_where_the_note_says_its_words(demo_store: Path, inputs: dict[str, CaseInput]) -> None:
    rows = demo_audit(demo_store).notes
    missing_tag = [each for each in rows if each.note == "answer_demo_a_1#1" and not each.is_found]
    assert {(each.stage, each.is_repair_said) for each in missing_tag} == {("extracted", True)}
    analyser = Analyser()
    for each in rows:
        assert (each.is_repair_said is None) == (each.repaired_by is None)
        if each.repaired_by is not None:
            (note,) = (one for one in inputs[each.case].notes if one.id == each.note)
            said = set(analyser.words("\n".join(turn.full_text for turn in note.interaction.turns)))
            assert each.is_repair_said == (set(analyser.words(each.repaired_by)) <= said)
    assert {each.is_repair_said for each in rows} == {True, False, None}


def test_a_question_is_found_if_any_of_its_gold_is(demo_store: Path, inputs: dict[str, CaseInput]) -> None:
    found = demo_audit(demo_store)
    by_question: dict[tuple[str, ...], list[NoteRow]] = {}
    for each in found.notes:
        by_question.setdefault((each.case, each.question, each.method), []).append(each)
    assert len(found.questions) == len(by_question)
    for question in found.questions:
        own = by_question[question.case, question.question, question.method]
        assert question.is_found == any(each.is_found for each in own)
        assert question.is_helped == any(each.helpful for each in own)
        assert (question.is_repaired is None, question.is_broken is None) == (question.is_found, not question.is_found)
        if not question.is_found:
            assert question.is_repaired == any(each.repaired_by for each in own)
        elif any(each.helpful for each in own):
            drops = [DropTag(path, each.note) for each in own for path in each.helpful]
            notes, text = inputs[question.case].notes, asked(inputs[question.case], question.question)
            rank = place(apply(drops, notes), question.method, text, {each.note for each in own})
            assert question.is_broken == (not is_in(rank))


def test_an_audit_changes_nothing_in_the_store(own_demo_store: Path) -> None:
    before = own_demo_store.read_bytes()
    demo_audit(own_demo_store, interventions=False)
    assert own_demo_store.read_bytes() == before


def test_without_interventions_nothing_is_said_of_them(demo_store: Path) -> None:
    quick, full = demo_audit(demo_store, interventions=False), demo_audit(demo_store)
    assert {(each.repaired_by, each.is_broken, each.is_tried) for each in quick.notes} == {(None, None, False)}
    assert {(each.is_repaired, each.is_broken) for each in quick.questions} == {(None, None)}
    assert [(each.note, each.rank) for each in quick.notes] == [(each.note, each.rank) for each in full.notes]
    assert pooled(quick) == pooled(full)


def test_processes_give_the_same_rows(demo_store: Path) -> None:
    keys = case_keys(demo_store)[:2]
    told: list[tuple[int, str]] = []
    one = audit(demo_store, keys, SPECS[:1], interventions=False, progress=lambda done, name: told.append((done, name)))
    assert audit(demo_store, keys, SPECS[:1], interventions=False, workers=2) == one
    assert told == [(1, keys[0]), (2, keys[1])]


def test_an_audit_can_be_ended_between_two_questions_of_a_case(demo_store: Path) -> None:
    asked: list[int] = []

    def between() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise WorkbenchError("enough")

    with pytest.raises(WorkbenchError, match="enough"):
        audit(demo_store, ["atant_demo/demo_01"], SPECS[:1], interventions=False, between=between)
    assert len(asked) == 3


def test_what_can_not_be_audited_is_said(demo_store: Path, own_demo_store: Path) -> None:
    keys = case_keys(demo_store)
    with pytest.raises(ValueError, match="k from 1 to 40"):
        audit(demo_store, keys, SPECS, k=41)
    with pytest.raises(ValueError, match="different names"):
        audit(demo_store, keys, [MethodSpec("bm25"), MethodSpec("bm25")])
    with pytest.raises(KeyError, match="no extraction 'llm'"):
        audit(demo_store, keys, SPECS, ["llm"])
    with pytest.raises(ValueError, match="no tag to take away"):
        without_tags(Memory(), "x", {"n": ()}, {}, frozenset("n"))
    with open_store(own_demo_store) as store:
        case = store.cases.get(keys[0])
        bare = type(case)("mine", "x", case.sessions)
        store.cases.add(bare, store.notes.get(keys[0]), store.extractions.list(keys[0])[0].key)
    with pytest.raises(BadInput, match="no question of these cases has gold"):
        audit(own_demo_store, ["mine/x"], SPECS)


# --- pool -----------------------------------------------------------------------------------------------------------------


def test_the_pool_of_a_worked_example() -> None:
    rows = (
        # s1#1 lacks a tag under one extraction and is missed there only
        row("s1#1", helpful=("a",), found=True),
        row("s1#1", extraction="llm"),
        # s2#1 has one under both, outcomes differ; s2#2 brings the session up where it is missed
        row("s2#1", helpful=("a",), found=True),
        row("s2#1", helpful=("a",), extraction="llm", session_rank=1, session_by=OTHER_GOLD),
        row("s2#2", helpful=("a",), found=True),
        row("s2#2", helpful=("a",), extraction="llm", found=True),
        # s3#1 has one under both and is never found, its session by another note, then only since sessions count once
        row("s3#1", helpful=("a",), session_rank=2, session_by=OTHER_NOTE),
        row("s3#1", helpful=("a",), extraction="llm", session_rank=5, session_by=COUNTED_ONCE),
        # what BM25 misses makes no pool
        row("s4#1", helpful=("a",), found=True),
        row("s4#1", helpful=("a",), extraction="llm", found=True),
        row("s4#1", method="bm25", is_graph=False),
    )
    found = pooled(audit_of(*rows))
    assert found is not None
    assert found.notes == PoolRow("gold notes", units=5, pool=3, lacking=1, differing=1, always_missed=1)
    assert found.sessions == PoolRow("sessions", units=4, pool=1, lacking=1, differing=0, always_missed=0)
    assert found.in_missed_sessions == 1
    assert [(each.reason, each.notes, each.examples) for each in found.reasons] == [
        (OTHER_GOLD, 1, (("demo/c", "q", "s2#1"),)),
        (OTHER_NOTE, 1, (("demo/c", "q", "s3#1"),)),
        (COUNTED_ONCE, 0, ()),
    ]


def test_without_a_graph_configuration_there_is_no_pool() -> None:
    assert pooled(audit_of(row(method="bm25", is_graph=False))) is None


@st.composite
def row_lists(draw: st.DrawFn) -> list[NoteRow]:
    """Consistent rows: three notes in two sessions under two methods and two extractions, ranked at random."""
    rows = []
    notes = ["s1#1", "s1#2", "s2#1"]
    helpful = draw(st.fixed_dictionaries({(note, e): st.booleans() for note in notes for e in ("rules", "llm")}))
    for extraction in ("rules", "llm"):
        for method in ("tag_basic", "adaptive"):
            order = draw(st.permutations([*notes, "s1#9", "x#1", "y#1", "z#1"]))
            sessions = list(dict.fromkeys(each.partition("#")[0] for each in order))
            for note in notes:
                rank, session = order.index(note) + 1, note.partition("#")[0]
                top = {each for each in order[:2] if each.partition("#")[0] == session}
                by = OTHER_GOLD if top & set(notes) else OTHER_NOTE if top else COUNTED_ONCE
                is_missed = rank > 2
                rows.append(
                    row(
                        note,
                        found=not is_missed,
                        extraction=extraction,
                        method=method,
                        session_rank=sessions.index(session) + 1,
                        session_by=by if is_missed and sessions.index(session) < 2 else None,
                        helpful=("a",) if helpful[note, extraction] else (),
                    )
                )
    return rows


@given(row_lists())
def test_the_pool_adds_up_in_both_units(rows: list[NoteRow]) -> None:
    found = pooled(audit_of(*rows, k=2))
    assert found is not None
    for each in (found.notes, found.sessions):
        assert each.pool == each.lacking + each.differing + each.always_missed <= each.units
    assert found.notes.pool == found.in_missed_sessions + sum(reason.notes for reason in found.reasons)
    # a session that is missed takes all its gold notes with it
    assert found.sessions.pool <= found.in_missed_sessions
    missed = {each.note for each in rows if not each.is_found}
    assert found.notes.pool == len(missed)
    assert found.notes.lacking == len({each.note for each in rows if not each.helpful} & missed)


def test_extractions_are_pooled(demo_store: Path, tmp_path: Path) -> None:
    path = with_second_extraction(demo_store, tmp_path / "two.duckdb")
    keys = case_keys(path)
    both = audit(path, keys, SPECS, interventions=False)
    assert both.extractions == ("bare", "rules")
    rules = audit(path, keys, SPECS, ["rules"], interventions=False)
    assert [each for each in both.notes if each.extraction == "rules"] == list(rules.notes)
    one, two = pooled(rules), pooled(both)
    assert one is not None
    assert two is not None
    assert two.notes.units == one.notes.units
    assert two.notes.pool > one.notes.pool
    assert two.notes.lacking > one.notes.lacking
