from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import BadInput, StoreError
from workbench.records import Case, Extraction, Finding, Gold, Interaction, Note, Question, QuestionResult, Run, Session, Turn
from workbench.store import CaseFinding, ExtractionKey, LoadReport, Store, case_digest, cases, open_store

RULES = ExtractionKey("rules", {"limit": 5})


def counts(store: Store) -> dict[str, int]:
    tables = [name for (name,) in store.cases._db.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'")]
    return {name: store.cases._db.rows(f"SELECT count(*) FROM {name}")[0][0] for name in tables}


def run_of(*keys: str, id: str = "run1") -> Run:
    results = tuple(QuestionResult(key, "q", "t", "bm25", ("n",), (1.0,), ("s",), 1, {"mrr": 1.0}, True) for key in keys)
    return Run(id, datetime(2024, 1, 1), "demo", {}, {}, "", "", {}, {}, {}, results)


# --- adding -----------------------------------------------------------------------------------------------------------------


def test_what_is_stored_reads_back_equal(store, make_case, make_notes):
    case = make_case()
    assert store.cases.add(case, make_notes(case), RULES) == "added"
    assert store.cases.get(case.key) == case
    assert set(store.notes.get(case.key)) == set(make_notes(case))


def test_the_same_case_again_changes_nothing(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    before = counts(store)
    assert store.cases.add(case, make_notes(case), RULES) == "present"
    assert counts(store) == before


def test_other_content_under_the_same_key_is_a_conflict_and_nothing_is_written(store, make_case, make_notes):
    case, other = make_case(), make_case(word="castle")
    store.cases.add(case, make_notes(case), RULES)
    before = counts(store)
    assert store.cases.add(other, make_notes(other), ExtractionKey("other")) == "conflict"
    assert counts(store) == before
    assert store.cases.get(case.key) == case


def test_a_failure_in_the_middle_of_a_case_leaves_nothing_of_it(store, make_case, make_notes, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(cases, "add_extraction", fail)
    case = make_case()
    before = counts(store)
    with pytest.raises(RuntimeError, match="in the middle"):
        store.cases.add(case, make_notes(case), RULES)
    assert counts(store) == before
    monkeypatch.undo()
    assert store.cases.add(case, make_notes(case), RULES) == "added"


def test_a_present_case_cut_into_other_notes_is_refused(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    with pytest.raises(StoreError, match="demo/c1 is stored with other notes"):
        store.cases.add(case, make_notes(case)[1:], ExtractionKey("other"))
    assert [row.extractor for row in store.extractions.list(case.key)] == ["rules"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"benchmark": "a/b"}, "no slash"),
        ({"benchmark": ""}, "non-empty"),
        ({"id": ""}, "non-empty"),
        ({"questions": (Question("q", "a"), Question("q", "b"))}, "question id 'q' more than once"),
        ({"questions": (Question("q", "a", time=datetime(2024, 1, 1, tzinfo=UTC)),)}, "q has a time with a zone"),
    ],
)
def test_a_malformed_case_is_named_and_not_stored(store, make_case, make_notes, change, message):
    case = replace(make_case(), **change)
    with pytest.raises(BadInput, match=message):
        store.cases.add(case, make_notes(case), RULES)
    assert counts(store)["cases"] == 0


def test_repeated_note_ids_are_refused(store, make_case, make_notes):
    case = make_case()
    with pytest.raises(BadInput, match="note id 's0#1' more than once"):
        store.cases.add(case, make_notes(case) + make_notes(case)[:1], RULES)


def test_hostile_text_is_kept_and_only_lone_surrogates_are_replaced(store):
    text = "NUL \x00, quote ' and \", 日本語, \U0001f600, '); DROP TABLE cases; --, " + "x" * 100_000
    case = Case(
        "demo", "'; \x00", (Session("s\x00", (Turn("user", text, "日本", text), Turn("user", "a\ud800b")), 0),), title="\ud800"
    )
    notes = [
        Note(Interaction(f"s\x00#{i}", "s\x00", (t,), 0, i), Extraction(what=(text, "\udfff")))
        for i, t in enumerate(case.sessions[0].turns)
    ]
    store.cases.add(case, notes, RULES)
    read = store.cases.get("demo/'; \x00")
    assert read.sessions[0].turns == (case.sessions[0].turns[0], Turn("user", "a\ufffdb"))
    assert read.title == "\ufffd"
    assert store.notes.get(case.key)[0].extraction.what == (text, "\ufffd")
    assert store.cases.add(case, notes, RULES) == "present"
    assert store.questions.table(text="\ud800") == []


def test_ids_that_look_like_one_number_stay_apart(store, make_case, make_notes):
    for name in ("1", "01", "1.0"):
        store.cases.add(make_case(name), make_notes(make_case(name)), RULES)
    assert store.cases.get("01").id == "01"
    assert [row.id for row in store.cases.list()] == ["1", "01", "1.0"]


names = st.text(min_size=1, max_size=8)
times = st.none() | st.datetimes()
turns = st.builds(
    Turn, st.sampled_from(["user", "assistant"]), st.text(), st.text(max_size=5), st.text(max_size=5), st.text(max_size=5)
)
sessions = st.lists(
    st.builds(Session, names, st.lists(turns, max_size=4).map(tuple), st.integers(0, 99), times, st.text(max_size=5)), max_size=4
)
golds = st.builds(Gold, *[st.lists(st.text(max_size=5), max_size=2).map(tuple)] * 4)
questions = st.lists(
    st.builds(Question, names, st.text(), st.none() | st.text(), st.text(), golds, times), max_size=3, unique_by=lambda q: q.id
)


@pytest.fixture(scope="module")
def shared_store():
    with open_store(":memory:") as opened:
        yield opened


@settings(deadline=None, max_examples=40)
@given(names.filter(lambda n: "/" not in n), names, sessions.map(tuple), questions.map(tuple), st.data())
def test_any_case_reads_back_equal_with_its_notes(shared_store, benchmark, id, sessions, questions, data):
    case = Case(
        benchmark, id, sessions, questions, "round", data.draw(st.text()), tuple(data.draw(st.lists(st.text(), max_size=2)))
    )
    notes = []
    for i, session in enumerate(sessions):
        first = data.draw(st.integers(0, len(session.turns)))
        for r, part in enumerate(
            (session.turns[:first], session.turns[first:], data.draw(st.lists(turns, max_size=2).map(tuple)))
        ):
            interaction = Interaction(f"{i}#{r}", session.id, part, session.position, r, session.time, session.time_text)
            notes.append(Note(interaction, Extraction(where=(f"{i}", "x"), summary=data.draw(st.text(max_size=5)))))
    store = shared_store
    store.cases.add(case, notes, RULES)
    assert store.cases.get(case.key) == case
    assert list(store.notes.get(case.key)) == sorted(notes, key=lambda note: (note.order, note.id))
    assert all(store.notes.one(case.key, note.id) == note for note in notes[-1:])
    assert case_digest(store.cases.get(case.key)) == store.cases.list()[0].digest
    store.cases.remove(case.key)


# --- identity ---------------------------------------------------------------------------------------------------------------


def test_the_digest_follows_content_not_titles_and_remarks(make_case):
    case = make_case()
    same = replace(case, title="x", questions=tuple(replace(q, remarks=("other",)) for q in case.questions))
    assert case_digest(same) == case_digest(case)
    first, *rest = case.sessions
    for change in (
        {"sessions": (replace(first, turns=(replace(first.turns[0], caption="c"), *first.turns[1:])), *rest)},
        {"sessions": (replace(first, time=None), *rest)},
        {"sessions": (*rest, first)},
        {"questions": (replace(case.questions[0], gold=Gold(sessions=("s1",))), *case.questions[1:])},
        {"questions": (replace(case.questions[0], answer="1"), *case.questions[1:])},
        {"unit": "exchange"},
        {"participants": ("Somebody else",)},
        {"notes": (Note(Interaction("n", "s0", (), 0, 1)),)},
    ):
        assert case_digest(replace(case, **change)) != case_digest(case)


def test_a_bare_id_is_enough_where_it_is_unique(store, make_case, make_notes):
    for benchmark, name in (("demo", "c1"), ("demo", "c2"), ("more", "c2")):
        store.cases.add(make_case(name, benchmark), make_notes(make_case(name, benchmark)), RULES)
    assert store.cases.key("c1") == "demo/c1"
    assert store.cases.get("more/c2").benchmark == "more"
    with pytest.raises(KeyError, match="several benchmarks: name one of demo/c2, more/c2"):
        store.cases.get("c2")
    with pytest.raises(KeyError, match=r"no case 'demo/c9'; did you mean demo/c\d"):
        store.cases.get("demo/c9")
    assert store.cases.benchmarks() == {"demo": 2, "more": 1}
    assert [row.key for row in store.cases.list("more")] == ["more/c2"]
    assert store.cases.find("demo/c9") is None


def test_a_full_key_wins_over_an_equal_bare_id(store, make_case, make_notes):
    for benchmark, name in (("demo", "c1"), ("more", "demo/c1")):
        store.cases.add(make_case(name, benchmark), make_notes(make_case(name, benchmark)), RULES)
    assert store.cases.get("demo/c1").benchmark == "demo"


def test_a_row_counts_what_the_case_holds(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES, now=datetime(2024, 6, 1))
    (row,) = store.cases.list()
    assert (row.sessions, row.turns, row.notes, row.questions) == (3, 12, 6, 2)
    assert (row.first_time, row.last_time, row.added) == (case.sessions[0].time, case.sessions[1].time, datetime(2024, 6, 1))
    assert (row.title, row.unit, row.digest) == ("A title", "round", case_digest(case))
    assert store.cases.find(case.key) == row


# --- removing ---------------------------------------------------------------------------------------------------------------


def test_removal_takes_every_row_and_the_text_itself(path, make_case, make_notes):
    gone, kept = make_case("gone", word="xyzzyplugh"), make_case("kept")
    with open_store(path) as store:
        for case in (gone, kept):
            store.cases.add(case, make_notes(case, f"tag/{case.id}"), RULES)
            store.cases.add(case, make_notes(case, f"tag/{case.id}"), ExtractionKey("other"))
        store.runs.add(run_of(gone.key, kept.key))
        store.runs.add(run_of(gone.key, id="only gone"))
        findings = tuple(
            CaseFinding(Finding("f", "p", "repaired", word), case.key) for case, word in ((gone, "xyzzyplugh"), (kept, "museum"))
        )
        store.loads.add(LoadReport(("f",), "rules", 2, 4, 12, 2, 0, findings, {}, 1.0, datetime(2024, 1, 1)))
        kept_notes, all_rows = store.notes.get(kept.key), counts(store)
    assert b"xyzzyplugh" in path.read_bytes()

    with open_store(path) as store:
        assert store.cases.remove("gone") == (gone.key,)
        assert store.cases.get("kept") == kept
        assert store.notes.get(kept.key) == kept_notes
        assert [len(run.results) for run in (store.runs.get(row.id) for row in store.runs.list())] == [1]
        assert [item.case for item in store.loads.list()[0].findings] == [kept.key]
        whole = {"meta", "loads"}
        assert {name: 2 * n for name, n in counts(store).items() if name not in whole} == {
            name: n - (name == "results") for name, n in all_rows.items() if name not in whole
        }
        assert store.cases.add(gone, make_notes(gone), RULES) == "added"
        store.cases.remove(gone.key)
    for file in path.parent.iterdir():
        assert b"xyzzyplugh" not in file.read_bytes(), file
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_removal_of_a_benchmark(store, make_case, make_notes):
    for benchmark, name in (("demo", "c1"), ("demo", "c2"), ("more", "c1")):
        store.cases.add(make_case(name, benchmark), make_notes(make_case(name, benchmark)), RULES)
    assert store.cases.remove_benchmark("demo") == ("demo/c1", "demo/c2")
    assert [row.key for row in store.cases.list()] == ["more/c1"]
    with pytest.raises(KeyError, match="no benchmark 'demo'; the store has: more"):
        store.cases.remove_benchmark("demo")


def test_an_unknown_name_removes_nothing(store, make_case, make_notes):
    store.cases.add(make_case(), make_notes(make_case()), RULES)
    with pytest.raises(KeyError, match="no case 'nowhere'"):
        store.cases.remove("c1", "nowhere")
    assert store.cases.benchmarks() == {"demo": 1}


def test_a_table_of_a_later_version_is_emptied_too(store, make_case, make_notes):
    case = make_case()
    store.cases.add(case, make_notes(case), RULES)
    with store.cases._db.transaction() as cursor:
        cursor.execute("CREATE TABLE later (extraction INTEGER, note VARCHAR, vector FLOAT[])")
        cursor.execute("INSERT INTO later SELECT id, 's0#1', [1.0] FROM extractions")
    store.cases.remove(case.key)
    assert counts(store)["later"] == 0
