"""Extractions beside each other: counted by hand on two small cases, and held to the measures of runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import note, note_lists
from compared import BENCHMARK, CATS, FIRST, OUTING, SECOND, build, notes_of
from hypothesis import given

from workbench.compare_extractions.comparison import Comparison, compare, comparison_json, known_sources, near_duplicates
from workbench.compare_extractions.figures import growth_figure
from workbench.compare_extractions.matrix import matrix_of, run_matrix
from workbench.compare_extractions.note_diffs import note_diff
from workbench.compare_extractions.sources import Source, choose, shared_cases, sources
from workbench.compare_extractions.supported import ALL
from workbench.compare_extractions.vocabulary import CaseVocabulary
from workbench.errors import BadInput
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.significance import HEADLINE, holm
from workbench.evaluate.summary import mean
from workbench.ontology import OntologyReport
from workbench.store import ExtractionKey, open_store

KEYS = [OUTING.key, CATS.key]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("shelf") / "shelf.duckdb")


@pytest.fixture(scope="module")
def found(shelf: Path) -> Comparison:
    return compare(shelf, KEYS, known_sources(shelf, KEYS))


# --- which extractions ------------------------------------------------------------------------------------------------------


def test_sources_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    small, large = ExtractionKey("loose", {"model": "m", "size": 2}), ExtractionKey("loose", {"model": "m", "size": 5})
    with open_store(path) as store:
        for key in (small, large, FIRST):
            store.cases.add(CATS, notes_of(CATS, FIRST), key)
        store.cases.add(OUTING, notes_of(OUTING, FIRST), small)
        known = sources(store.extractions.list())
    assert [each.label for each in known] == ["loose (size=2)", "loose (size=5)", "careful"]
    assert choose(known, ["careful", "loose (size=2)", "careful"]) == (known[2], known[0])
    assert choose(known, [f"loose:{large.digest[:8]}"]) == (known[1],)
    assert shared_cases(known, KEYS) == [CATS.key]
    assert shared_cases(known[:1], KEYS) == KEYS
    with pytest.raises(KeyError, match=r"'loose' stands for 2 extractions; name one of: loose \(size=2\), loose \(size=5\)"):
        choose(known, ["loose"])
    with pytest.raises(KeyError, match="'llm' stands for 0 extractions"):
        choose(known, ["llm"])


def test_a_comparison_takes_cases_that_have_all(shelf: Path) -> None:
    known = known_sources(shelf, KEYS)
    absent = Source("absent", {"shelf/z": known[0].row})
    with pytest.raises(BadInput, match="none of these 2 cases has all of absent"):
        compare(shelf, KEYS, [absent])
    with pytest.raises(ValueError, match="takes one extraction or more"):
        compare(shelf, KEYS, [])
    with pytest.raises(ValueError, match="no embedding backend 'nothing'"):
        compare(shelf, KEYS, known, meaning="nothing")


# --- vocabulary -------------------------------------------------------------------------------------------------------------


def test_vocabulary_by_hand(found: Comparison) -> None:
    careful, loose = found.vocabulary
    assert (careful.extraction, careful.cases, careful.notes, careful.untagged, careful.tags) == ("careful", 2, 5, 0, 8)
    assert (careful.distinct.mean, careful.distinct_overall) == ((6 + 2) / 2, 8)
    assert careful.tags_per_note.mean == (6 / 3 + 2 / 2) / 2
    assert (loose.untagged, loose.tags, loose.distinct_overall) == (1, 6, 5)
    assert loose.reuse.mean == (4 / 4 + 2 / 1) / 2
    assert loose.single_note_share.mean == (1.0 + 0.0) / 2
    assert loose.by_category["what"].mean == pytest.approx((3 / 3 + 2 / 2) / 2)
    assert loose.by_category["extra"].mean == pytest.approx((1 / 3 + 0) / 2)
    assert careful.near_by_spelling.mean == (0 + 1) / 2
    assert careful.near_by_meaning is None


def test_failures_are_what_the_extractor_counted_or_not_available(found: Comparison) -> None:
    assert [row.failures for row in found.vocabulary] == [None, 1]


def test_growth_counts_distinct_tags_after_each_tenth(found: Comparison) -> None:
    careful = found.vocabulary[0]
    # One of three notes after 10 to 30%, two after 40 to 60; in the other case one of two up to 50%.
    assert [each.mean for each in careful.growth] == [2.0, 2.0, 2.0, 2.5, 2.5, 3.0, 4.0, 4.0, 4.0, 4.0]


@given(note_lists())
def test_a_case_grows_to_its_distinct_tags(notes) -> None:
    vocabulary = CaseVocabulary.of(notes)
    grown = [vocabulary.distinct_after(part) for part in range(11)]
    assert grown == sorted(grown)
    assert (grown[0], grown[-1]) == (0, OntologyReport.of(notes).distinct)
    assert sum(vocabulary.uses.values()) == vocabulary.report.tags


def test_the_curve_is_drawn_with_its_intervals(found: Comparison) -> None:
    figure = growth_figure(found.vocabulary)
    assert [trace.name for trace in figure.data] == ["careful", "loose"]
    assert list(figure.data[0].y) == [each.mean for each in found.vocabulary[0].growth]
    low, high = found.vocabulary[0].growth[-1].interval
    assert (figure.data[0].error_y.arrayminus[-1], figure.data[0].error_y.array[-1]) == (4.0 - low, high - 4.0)
    assert len({trace.marker.symbol for trace in figure.data}) == 2


def test_meaning_adds_pairs_of_other_words(shelf: Path) -> None:
    source = known_sources(shelf, KEYS)[0]
    spelled, uses = near_duplicates(shelf, KEYS, source)
    meant, _ = near_duplicates(shelf, KEYS, source, meaning="hash")
    assert [(pair.kept, pair.dropped, pair.cases) for pair in spelled] == [("pets/cat", "pets/cats", 1)]
    assert set(spelled) <= set(meant)
    assert uses["pets/cat"] == 1


# --- notes ------------------------------------------------------------------------------------------------------------------


def test_a_note_differs_by_paths_and_is_alike_by_words() -> None:
    one = note("n", ["food/cake", "art/opera"], where="place/rome")
    other = note("n", ["dessert/cakes", "place/rome", "art/opera"])
    diff = note_diff(one, other)
    assert (diff.shared, diff.only_first, diff.only_second) == (("art/opera", "place/rome"), ("food/cake",), ("dessert/cakes",))
    assert (diff.moved, diff.jaccard, diff.is_same) == (("place/rome",), 1.0, False)
    assert note_diff(note("n"), note("n")).jaccard is None
    assert note_diff(one, one).is_same
    with pytest.raises(ValueError, match="n and m are different notes"):
        note_diff(one, replace(other, interaction=replace(other.interaction, id="m")))


def test_pairs_of_extractions_by_hand(found: Comparison) -> None:
    (pair,) = found.agreement
    assert (pair.first, pair.second, pair.notes, pair.same_notes) == ("careful", "loose", 5, 1)
    assert (pair.shared, pair.only_first, pair.only_second, pair.moved) == (2, 6, 4, 1)
    # cake, rome of cake, buy, rome, pizza; nothing; nothing of three words. In the other case the same stem twice.
    assert pair.jaccard.mean == pytest.approx(((2 / 4 + 0 + 0) / 3 + 1.0) / 2)


# --- blind spots ------------------------------------------------------------------------------------------------------------


def test_blind_spots_by_hand(found: Comparison) -> None:
    by_type = {spot.type: spot for spot in found.blind_spots}
    assert list(by_type) == [HEADLINE, "single", "time"]
    assert {label: each.mean for label, each in by_type[HEADLINE].reached.items()} == {"careful": 1.0, "loose": 0.5}
    assert by_type[HEADLINE].only["loose", "careful"] == ((OUTING.key, "a_q1"), (OUTING.key, "a_q2"))
    assert by_type["single"].only["loose", "careful"] == ((OUTING.key, "a_q1"),)
    assert by_type["time"].only["careful", "loose"] == ()
    assert by_type["single"].reached["loose"].mean == pytest.approx(2 / 3)


def test_helped_gold_notes_are_those_of_the_audit(demo_store: Path) -> None:
    from workbench.diagnose.audit import audit

    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("longmemeval_demo")]
    questions = compare(demo_store, keys, known_sources(demo_store, keys)).questions
    told = audit(demo_store, keys, [MethodSpec("tag_stopwords")], interventions=False)
    expected = {(row.case, row.question, row.note): bool(row.helpful) for row in told.notes}
    assert {
        (each.case, each.question, gold): gold in each.helped["rules"] for each in questions for gold in each.gold
    } == expected
    assert len(set(expected.values())) == 2


# --- support ----------------------------------------------------------------------------------------------------------------


def test_support_by_hand(found: Comparison) -> None:
    rows = {(row.extraction, row.category): row for row in found.support}
    careful, loose = rows["careful", ALL], rows["loose", ALL]
    assert (careful.tags, careful.user, careful.assistant, careful.unsupported) == (8, 8, 0, 0)
    assert (loose.tags, loose.user, loose.assistant, loose.unsupported) == (6, 4, 1, 1)
    assert loose.share.mean == (1 / 4 + 0) / 2
    assert (rows["loose", "extra"].tags, rows["loose", "extra"].share.n) == (1, 1)
    assert ("loose", "who") not in rows
    (lost,) = found.unsupported["loose"]
    assert (lost.case, lost.note, lost.category, lost.path, lost.missing) == (
        OUTING.key,
        "a0#1",
        "what",
        "food/pizza",
        ("pizza",),
    )


# --- MRR --------------------------------------------------------------------------------------------------------------------


def test_the_matrix_holds_the_means_of_its_runs_and_paired_tests(tmp_path: Path) -> None:
    path = build(tmp_path / "own.duckdb")
    chosen, steps = known_sources(path, KEYS), []
    specs = [MethodSpec("tag_stopwords"), MethodSpec("bm25")]
    runs = run_matrix(path, KEYS, chosen, specs, progress=lambda done, name: steps.append(done))
    found = matrix_of(runs)
    for label, run in runs.items():
        for method in ("tag_stopwords", "bm25"):
            cell = found.cell(label, method)
            assert cell.estimate.mean == pytest.approx(mean((r for r in run.results if r.method == method), "mrr"))
            assert (cell.run, cell.estimate.n) == (run.id, 4)
    first = found.steps[0]
    assert (first.method, first.first, first.second, first.test.n) == ("tag_stopwords", "careful", "loose", 4)
    change = found.cell("loose", "tag_stopwords").estimate.mean - found.cell("careful", "tag_stopwords").estimate.mean
    assert first.test.difference == pytest.approx(change)
    assert change < 0
    assert [step.p_holm for step in found.steps] == holm([step.test.p for step in found.steps])
    assert steps[-1] == 4
    assert steps == sorted(steps)
    assert matrix_of(runs, unit="case").steps[0].test.n == 2
    again = run_matrix(path, KEYS, chosen, specs)
    assert {label: run.id for label, run in again.items()} == dict(found.runs)
    with pytest.raises(ValueError, match="no measure 'mmr'"):
        matrix_of(runs, "mmr")
    with pytest.raises(KeyError, match="no cell of 'careful' and 'adaptive'"):
        found.cell("careful", "adaptive")


def test_a_matrix_needs_extractions_and_methods(shelf: Path) -> None:
    with pytest.raises(ValueError, match="got 2 and 0"):
        run_matrix(shelf, KEYS, known_sources(shelf, KEYS), [])
    with pytest.raises(ValueError, match="one run or more"):
        matrix_of({})


# --- as a whole -------------------------------------------------------------------------------------------------------------


def test_the_comparison_is_plain_json(found: Comparison) -> None:
    result = json.loads(json.dumps(comparison_json(found)))
    assert result["labels"] == ["careful", "loose"]
    assert result["blind_spots"][0]["only"][1] == {
        "blind": "loose",
        "reached": "careful",
        "questions": [[OUTING.key, "a_q1"], [OUTING.key, "a_q2"]],
    }
    assert result["vocabulary"][1]["failures"] == 1
    assert "uses" not in result


@pytest.mark.slow
def test_processes_give_the_same_comparison(shelf: Path, found: Comparison) -> None:
    assert compare(shelf, KEYS, known_sources(shelf, KEYS), workers=2) == found


def test_the_store_is_of_one_benchmark(shelf: Path) -> None:
    with open_store(shelf, read_only=True) as store:
        assert list(store.cases.benchmarks()) == [BENCHMARK]
        assert {row.key for row in store.extractions.list()} == {FIRST, SECOND}
