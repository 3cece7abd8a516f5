"""The stage trace: each stage on a small memory, what is known of which ranking, and the demo's prepared failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
from builders import WORDS, memory_of, note, note_lists
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.diagnose.checks.base import checks
from workbench.diagnose.checks.diluted import DilutedBy
from workbench.diagnose.checks.extracted import FactLeftOut
from workbench.diagnose.checks.filtered import FilteredOut
from workbench.diagnose.checks.outscored import Outscored
from workbench.diagnose.checks.tagged import TaggedOtherwise
from workbench.diagnose.plain import diagnosis_json
from workbench.diagnose.stages import Diagnosis, NoteTrace, diagnose, diagnose_ranking, sentence, stages
from workbench.evaluate.imported import ImportedArm, ImportedRun
from workbench.evaluate.inputs import case_input
from workbench.memory import Memory
from workbench.methods.base import create, methods
from workbench.records import Gold, Hit, Note, Question, QuestionResult, Ranking
from workbench.store import open_store


def ask(text: str, *gold: str, answer: str | None = None) -> Question:
    return Question("q", text, answer, gold=Gold(notes=gold))


def traced(method: str, question: Question, *notes: Note, k: int = 1, **fields: Any) -> NoteTrace:
    """The trace of the question's first gold note."""
    memory = memory_of(*notes)
    return diagnose(memory, question, create(method, overrides=fields, memory=memory), k).traces[0]


def statuses(trace: NoteTrace) -> dict[str, str]:
    return {finding.stage: finding.status for finding in trace.findings}


FILL = tuple(note(f"x{number}", "garden/roses", user="roses", day=number + 10) for number in range(4))


# --- one stage after the other ------------------------------------------------------------------------------------------------


def test_what_was_never_stored() -> None:
    trace = traced("tag_basic", ask("lemon cake", "gone"), note("n", "food/cake"))
    assert (trace.stage, trace.session_id, trace.place) == ("stored", None, None)
    assert "gone" in sentence(trace)


def test_a_fact_that_became_no_tag() -> None:
    trace = traced("tag_basic", ask("Which cakes?", "n"), note("n", "music", user="tea", assistant="lemon cake"), *FILL)
    assert trace.stage == "extracted"
    assert trace.findings[-1].evidence == FactLeftOut((), ("cake",), ("music",))


def test_a_fact_under_other_words() -> None:
    answered = ask("Which cake?", "n", answer="a lemon tart")
    trace = traced("tag_basic", answered, note("n", "dessert/lemon_tart", user="The cake was a lemon tart"), *FILL)
    assert trace.stage == "tagged"
    assert trace.findings[-1].evidence == TaggedOtherwise(("cake",), ("dessert/lemon_tart",), ("dessert/lemon_tart",))


def test_a_text_that_shares_nothing_with_the_question_is_tagged_otherwise() -> None:
    assert traced("tag_basic", ask("Which cake?", "n"), note("n", "music", user="the guitar"), *FILL).stage == "tagged"


def test_a_helpful_tag_that_the_filter_drops() -> None:
    crowd = [note(f"c{number}", "music", user="cake", day=number + 2) for number in range(5)]
    question = ask("cake or guitar", "n")
    trace = traced("tag_stopwords", question, note("n", "food/cake", user="cake"), *crowd, note("g", "guitar"), *FILL)
    assert trace.stage == "filtered"
    evidence = trace.findings[-1].evidence
    assert isinstance(evidence, FilteredOut)
    assert [(word.spoken, word.df, word.notes) for word in evidence.words] == [("cake", 6, 11)]
    assert [tag.path for tag in evidence.tags] == ["food/cake"]


def test_a_lexical_method_loses_what_the_filter_drops_and_what_shares_no_word() -> None:
    crowd = [note(f"c{number}", user="cake", day=number + 2) for number in range(5)]
    notes = (note("n", user="cake"), *crowd, note("g", user="guitar"))
    assert traced("bm25_filtered", ask("cake or guitar", "n"), *notes).stage == "filtered"
    trace = traced("bm25", ask("guitar", "n"), *notes)
    assert trace.stage == "reached"
    assert statuses(trace)["extracted"] == "not applicable"
    assert "shares no word" in sentence(trace)


def test_matched_but_not_reached() -> None:
    """Without diffusion and file seeds a matched tag brings its file nothing."""
    notes = (note("n", "food/cake", user="cake"), *FILL)
    trace = traced("adaptive", ask("cake", "n"), *notes, diffusion=False, file_seeding=False)
    assert trace.stage == "reached"
    assert trace.findings[-1].evidence.tags == ("food/cake",)


def test_reached_but_outscored_says_by_whom_and_through_what() -> None:
    notes = (note("n", "food/cake", day=1), note("m", "food/cake/lemon", day=2), note("o", "food/cake/lemon", day=3))
    trace = traced("tag_basic", ask("lemon cake", "n"), *notes)
    evidence = trace.findings[-1].evidence
    assert trace.stage == "outscored"
    assert isinstance(evidence, Outscored)
    assert (evidence.ahead, evidence.tied, evidence.first) == (2, 0, ("o",))
    assert evidence.through[0] == ("food/cake/lemon", 1)
    first, second = trace.competitors()
    assert (first.note_id, second.note_id) == ("o", "m")
    assert first.lead == pytest.approx(first.score - trace.inquiry.hit.score)  # type: ignore[union-attr]
    assert sum(part.value for part in first.parts) == pytest.approx(first.score)


def test_equal_scores_crowd_out_only_where_they_are_many() -> None:
    def notes(count: int) -> list[Note]:
        return [note("n", "food/cake", day=1), *(note(f"m{number}", "food/cake", day=number + 2) for number in range(count))]

    assert traced("tag_basic", ask("cake", "n"), *notes(2), k=2).stage == "cut"
    crowded = traced("tag_basic", ask("cake", "n"), *notes(5), k=2)
    assert crowded.stage == "outscored"
    assert crowded.findings[-1].evidence.lead == 0


def test_other_gold_in_front_is_the_cut_at_k() -> None:
    notes = (note("n", "food/cake", day=1), note("m", "food/cake/lemon", day=2))
    memory = memory_of(*notes)
    found = diagnose(memory, ask("lemon cake", "n", "m"), create("tag_basic", memory=memory), 1)
    assert {trace.note_id: trace.stage for trace in found.traces} == {"n": "cut", "m": "found"}
    assert found.traces[0].competitors() == ()


def test_every_stage_is_defined_worded_and_ordered() -> None:
    assert [check.stage for check in stages()] == [
        "stored", "extracted", "tagged", "filtered", "reached", "outscored", "diluted", "cut",
    ]  # fmt: skip
    for name, check in checks.items():
        assert check.stage == name
        assert len((type(check).__doc__ or "").splitlines()) > 2, f"{name} lacks its definition"


# --- what can be known of whom ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nothing:
    """A configuration that tells nothing."""


class ByLength:
    """A user's own retriever: longer texts first, reasons not told."""

    name: ClassVar[str] = "by_length"
    config = Nothing()

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def remember(self, note: Note) -> None:
        self.memory.add(note)

    def query(self, text: str, k: int | None = 10, at_time: datetime | None = None) -> Ranking:
        held = [each for each in self.memory.notes if each.interaction.user]
        ranked = sorted(held, key=lambda each: -len(each.interaction.user))[:k]
        hits = [Hit(each.id, each.session_id, at, float(len(each.interaction.user)), at) for at, each in enumerate(ranked, 1)]
        return Ranking(text, self.name, tuple(hits), len(held))


def test_an_unknown_method_gets_the_stages_that_any_ranking_shows() -> None:
    memory = memory_of(note("n", "cake", user="cake"), note("m", user="a long text"), note("silent", "cake"))
    found = diagnose(memory, ask("cake", "n", "silent"), ByLength(memory), 1)
    by_note = {trace.note_id: trace for trace in found.traces}
    assert statuses(by_note["n"]) == {
        "stored": "passed",
        "extracted": "not available",
        "tagged": "not available",
        "filtered": "not available",
        "reached": "passed",
        "outscored": "lost",
    }
    assert by_note["silent"].stage == "reached"


def test_of_an_imported_run_what_it_does_not_list_is_not_guessed() -> None:
    memory = memory_of(note("n"), note("m"), note("o"), note("elsewhere"))
    result = QuestionResult("c", "q", "", "theirs", ("m", "o", "elsewhere"), (3.0, 2.0, 2.0), (), 3, {}, True)
    arm = ImportedArm("run", "theirs", "note", "theirs.trec")
    ranking = ImportedRun("run:theirs", arm, [result], [ask("cake")], memory).query("cake")
    assert [hit.block for hit in ranking.hits] == [1, 2, 2]
    absent, listed, top = (diagnose_ranking(memory, ask("cake", gold), ranking, 1).traces[0] for gold in ("n", "o", "m"))
    assert absent.stage is None
    assert set(statuses(absent).values()) == {"passed", "not available"}
    assert "does not tell why" in sentence(absent)
    assert listed.stage == "outscored"
    assert top.stage == "found"


def test_gold_may_be_named_and_must_be_there() -> None:
    memory = memory_of(note("n", "cake", session="s"), note("m", session="s", day=2))
    method = create("tag_basic", memory=memory)
    found = diagnose(memory, Question("q", "cake"), method, gold=["s", "lost"])
    assert [trace.note_id for trace in found.traces] == ["n", "m", "lost"]
    assert found.sessions["s"].note_id == "n"
    with pytest.raises(ValueError, match="no gold"):
        diagnose(memory, Question("q", "cake"), method)
    with pytest.raises(ValueError, match="k is 0"):
        diagnose(memory, ask("cake", "n"), method, 0)


# --- laws ---------------------------------------------------------------------------------------------------------------------


queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


def plain(ranking: Ranking) -> list[tuple[str, int, float]]:
    """What is compared: scores to 9 decimals, since a diffusion that is asked often solves in another way."""
    return [(hit.note_id, hit.rank, round(hit.score, 9)) for hit in ranking.hits]


@pytest.mark.parametrize("name", list(methods))
@settings(max_examples=20)
@given(notes=note_lists(), text=queries, k=st.integers(1, 3))
def test_a_hit_is_found_and_nothing_else_and_a_miss_is_lost_once(name: str, notes: list[Note], text: str, k: int) -> None:
    memory = memory_of(*notes)
    method = create(name, memory=memory)
    before = plain(method.query(text, None))
    top = {note_id for note_id, rank, _ in before if rank <= k}
    for trace in diagnose(memory, ask(text, *(each.id for each in notes)), method, k).traces:
        stages_seen = [(finding.stage, finding.status) for finding in trace.findings]
        if trace.note_id in top:
            assert stages_seen == [("found", "passed")]
        else:
            assert [status for _, status in stages_seen].count("lost") == 1
            assert stages_seen[-1] == (trace.stage, "lost")
            assert sentence(trace).startswith(name)
        trace.competitors()
    assert plain(method.query(text, None)) == before, "diagnosis changed a ranking"
    assert plain(create(name, memory=memory_of(*notes)).query(text, None)) == before


# --- the demo -----------------------------------------------------------------------------------------------------------------


@cache
def demo(store: Path, case: str) -> tuple[tuple[Question, ...], Memory]:
    with open_store(store, read_only=True) as opened:
        given_case = case_input(opened, case)
    return given_case.case.questions, given_case.memory()


def on_demo(store: Path, case: str, method: str, question: str = "", k: int = 5) -> Diagnosis:
    questions, memory = demo(store, case)
    asked = next(each for each in questions if each.id == (question or case))
    return diagnose(memory, asked, create(method, memory=memory), k)


PREPARED = [
    ("demo_missing_tag", "", "tag_stopwords", "extracted"),
    ("demo_missing_tag", "", "tag_tfidf", "extracted"),
    ("demo_missing_tag", "", "bm25", "found"),
    ("demo_common_word", "", "tag_basic", "outscored"),
    ("demo_common_word", "", "tag_stopwords", "found"),
    ("demo_diffusion_helps", "", "tag_tfidf", "tagged"),
    ("demo_diffusion_helps", "", "bm25", "outscored"),
    ("demo_diffusion_helps", "", "adaptive", "found"),
    ("demo_diffusion_hurts", "", "tag_basic", "extracted"),
    ("demo_diffusion_hurts", "", "adaptive", "diluted"),
    ("demo_12", "demo_12_q1", "tag_stopwords", "filtered"),
    ("demo_01", "demo_01_q2", "bm25", "reached"),
    ("demo_two_sessions", "", "tag_basic", "found"),
]


@pytest.mark.parametrize(("case", "question", "method", "stage"), PREPARED)
def test_each_prepared_failure_is_lost_at_its_stage(demo_store: Path, case: str, question: str, method: str, stage: str) -> None:
    assert {trace.stage for trace in on_demo(demo_store, case, method, question).traces} == {stage}


def test_the_evidence_of_the_prepared_failures(demo_store: Path) -> None:
    (missing,) = on_demo(demo_store, "demo_missing_tag", "tag_stopwords").traces
    assert missing.findings[-1].evidence.by_user == ()
    assert {"doorway", "stretch"} <= set(missing.findings[-1].evidence.by_assistant)

    flooded = on_demo(demo_store, "demo_common_word", "tag_basic").traces[0].findings[-1].evidence
    assert flooded.through[0] == ("home", 4)
    assert flooded.tied >= 10

    (hurt,) = on_demo(demo_store, "demo_diffusion_hurts", "adaptive").traces
    assert isinstance(hurt.findings[-1].evidence, DilutedBy)
    assert hurt.findings[-1].evidence.undiffused.rank == 1
    assert statuses(hurt)["extracted"] == "weakened"


def test_an_updated_fact_is_cut_or_outscored_by_the_old_one(demo_store: Path) -> None:
    (trace,) = on_demo(demo_store, "demo_updated_fact", "bm25", k=2).traces
    assert trace.stage == "outscored"
    assert any(each.session_id == "demo_e_1" for each in trace.competitors())


def test_plain_values_hold_the_whole_trace(demo_store: Path) -> None:
    found = diagnosis_json(on_demo(demo_store, "demo_common_word", "tag_basic"))
    assert [each["stage"] for each in found["notes"]] == ["outscored", "outscored"]
    assert found["notes"][0]["trace"][-1]["evidence"]["place"] == {"rank": 17, "best": 2, "worst": 17}
    assert len(found["notes"][0]["competitors"]) == 5
