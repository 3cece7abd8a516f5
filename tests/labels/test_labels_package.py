"""Taxonomy, agreement of analysts, contested gold, and labels out to a file and in again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.diagnose.stages import stages
from workbench.errors import BadInput
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.evaluate.summary import summary
from workbench.labels.agreement import agreement, cohens_kappa, kappa_interval
from workbench.labels.contested import contested_questions, with_and_without, write_patch
from workbench.labels.exchange import export_labels, import_labels
from workbench.labels.taxonomy import OURS, Cause, change_taxonomy, default_taxonomy, give, taxonomy
from workbench.store import Label, Labels, open_labels, open_store

NOON = datetime(2024, 5, 1, 12)


def label(**values: object) -> Label:
    return Label(**{"case": "demo/c1", "question": "q1", "analyst": "Ann", "label": "tagged", "created": NOON} | values)  # type: ignore[arg-type]


@pytest.fixture
def labels() -> Iterator[Labels]:
    with open_labels(":memory:") as opened:
        yield opened


# --- taxonomy -------------------------------------------------------------------------------------------------------------


def test_the_default_taxonomy_is_every_stage_and_ours(labels: Labels) -> None:
    assert taxonomy(labels) == default_taxonomy()
    assert default_taxonomy().names == (*(check.stage for check in stages()), *(name for name, _ in OURS))
    assert all(cause.meaning for cause in default_taxonomy().causes)


def test_a_changed_taxonomy_is_a_new_version_and_old_labels_stay(labels: Labels) -> None:
    give(labels, label(label="wrong gold"))
    assert change_taxonomy(labels, [Cause("mine", "of my own"), Cause("cut")], "Ann", NOON).version == 1
    assert taxonomy(labels).names == ("mine", "cut")
    assert taxonomy(labels, 0) == default_taxonomy()
    assert [each.label for each in labels.current()] == ["wrong gold"]
    assert give(labels, label(label="mine", note="s#1")) == 1
    with pytest.raises(ValueError, match="'wrong gold' is not in the taxonomy; it has: mine, cut"):
        give(labels, label(label="wrong gold", note="s#2"))
    with pytest.raises(KeyError, match="no version 5"):
        taxonomy(labels, 5)


@pytest.mark.parametrize("causes", [[], [Cause(" ")], [Cause("a"), Cause("a ")]])
def test_causes_have_names_of_their_own(labels: Labels, causes: list[Cause]) -> None:
    with pytest.raises(ValueError, match="a name of its own"):
        change_taxonomy(labels, causes, "Ann", NOON)
    assert taxonomy(labels).version == 0


# --- agreement ------------------------------------------------------------------------------------------------------------


def pairs(**counts: int) -> list[tuple[str, str]]:
    return [(name[0], name[1]) for name, count in counts.items() for _ in range(count)]


@pytest.mark.parametrize(
    ("given_pairs", "kappa"),
    [
        (pairs(yy=20, yn=5, ny=10, nn=15), 0.4),  # observed .7, expected .5
        (pairs(yy=45, yn=15, ny=25, nn=15), 3 / 23),  # observed .6, expected .54
        (pairs(aa=2, bb=2, cc=2), 1.0),
        (pairs(ab=1, ba=1), -1.0),
        (pairs(aa=1, ab=1, ba=1, bb=1), 0.0),
        (pairs(aa=5, ab=5), 0.0),  # one of them sees the same in everything: no agreement beyond chance
        (pairs(aa=5), None),
        ([], None),
    ],
)
def test_kappa_of_worked_examples(given_pairs: list[tuple[str, str]], kappa: float | None) -> None:
    assert cohens_kappa(given_pairs) == (None if kappa is None else pytest.approx(kappa, abs=1e-12))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=12))
def test_kappa_is_symmetric_and_in_its_range(given_pairs: list[tuple[str, str]]) -> None:
    kappa = cohens_kappa(given_pairs)
    assert kappa == cohens_kappa([(second, first) for first, second in given_pairs])
    assert kappa is None or -1 <= kappa <= 1


def test_the_interval_of_kappa_is_near_that_of_large_samples() -> None:
    found = kappa_interval(pairs(yy=20, yn=5, ny=10, nn=15))
    # J. Fleiss, J. Cohen, B. Everitt 1969: standard error 0.1265 for this table, 0.4 +- 1.96 * 0.1265
    assert found == pytest.approx((0.152, 0.648), abs=0.03)
    assert kappa_interval(pairs(aa=5)) is None
    assert kappa_interval(pairs(ab=1)) is None
    assert kappa_interval(pairs(aa=2, bb=2)) == (1.0, 1.0)


def test_agreement_takes_the_places_that_both_have_labelled() -> None:
    given_labels = [
        *(label(note=str(at), label=cause) for at, cause in enumerate(["cut", "cut", "tagged", "stored"])),
        *(label(note=str(at), label=cause, analyst="Bob") for at, cause in enumerate(["cut", "tagged", "tagged"])),
        label(note="9", label="", analyst="Bob", comment="no cause yet"),
        label(note="0", label="stored", analyst="Eve"),
    ]
    found = agreement(given_labels, "Ann", "Bob")
    assert (found.places, found.only_first, found.only_second, found.agreed) == (3, 1, 0, 2)
    # observed 2/3; expected (2/3)(1/3) + (1/3)(2/3) = 4/9
    assert found.kappa == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    ((first, second),) = found.disagreements
    assert (first.note, first.label, second.label) == ("1", "cut", "tagged")
    assert agreement(given_labels, "Ann", "Nobody").kappa is None
    with pytest.raises(ValueError, match="two analysts"):
        agreement(given_labels, "Ann", "Ann")


# --- contested gold -------------------------------------------------------------------------------------------------------


def test_every_measure_with_and_without_contested_questions(demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("atant_demo")]
        run = evaluate(case_inputs(store, keys), [MethodSpec("bm25"), MethodSpec("tag_basic")], {})
        worst = min((r for r in run.results if r.method == "bm25"), key=lambda r: r.measures["mrr"] or 0)
        contest = label(case=worst.case, question=worst.question, contested="it is in the other story", comment="take s2")
        withdrawn = [label(question="q9", contested="no"), label(question="q9", created=NOON + timedelta(days=1))]
        with open_labels(":memory:") as labels:
            labels.add([contest, *withdrawn, label(case="gone/c", contested="x")])
            current = labels.current()
        assert set(contested_questions(current)) == {(worst.case, worst.question), ("gone/c", "q1")}
        rows = {(row.method, row.measure): row for row in with_and_without(run, current)}
        whole, n = summary(run), len(run.results) // 2
        for (method, measure), row in rows.items():
            assert row.all.mean == pytest.approx(whole["methods"][method][measure]), (method, measure)
        mrr = rows["bm25", "mrr"]
        assert (mrr.all.n, mrr.uncontested.n) == (n, n - 1)
        assert mrr.all.mean is not None
        assert mrr.uncontested.mean == pytest.approx((mrr.all.mean * n - (worst.measures["mrr"] or 0)) / (n - 1))
        assert {measure for _, measure in rows} >= {"mrr", "recall@5", "hit@5", "ndcg@5"}
        assert write_patch(store, current, tmp_path / "patch.jsonl") == 1
        gold = store.questions.get(worst.case, worst.question).gold
    (line,) = (json.loads(text) for text in (tmp_path / "patch.jsonl").read_text("utf-8").splitlines())
    benchmark, _, case = worst.case.partition("/")
    assert line["gold"] == {"substrings": list(gold.substrings)}
    named = {name: line[name] for name in ("benchmark", "case", "question", "reason", "change", "analyst")}
    assert named == {
        "benchmark": benchmark,
        "case": case,
        "question": worst.question,
        "reason": "it is in the other story",
        "change": "take s2",
        "analyst": "Ann",
    }


def test_without_contested_questions_both_columns_are_equal(demo_store: Path) -> None:
    with open_store(demo_store, read_only=True) as store:
        run = evaluate(case_inputs(store, ["longmemeval_demo/demo_missing_tag"]), [MethodSpec("bm25")], {})
    assert all(row.all == row.uncontested for row in with_and_without(run, [label()]))


# --- files ----------------------------------------------------------------------------------------------------------------

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".json"])
def test_labels_come_back_from_a_file_as_they_were(tmp_path: Path, ending: str) -> None:
    @settings(max_examples=25)
    @given(st.lists(st.tuples(words, words, words), max_size=4))
    def check(texts: list[tuple[str, str, str]]) -> None:
        path = tmp_path / f"labels{ending}"
        given_labels = [
            label(note=note, comment=comment, contested=reason, created=NOON + timedelta(microseconds=at))
            for at, (note, comment, reason) in enumerate(texts)
        ]
        with open_labels(":memory:") as one, open_labels(":memory:") as other:
            one.add(given_labels)
            assert export_labels(one, path) == len(given_labels)
            assert import_labels(other, path) == len(given_labels)
            assert other.history() == one.history()
            assert import_labels(other, path) == 0

    check()


def test_a_file_that_holds_no_labels_is_refused(labels: Labels, tmp_path: Path) -> None:
    export_labels(labels, tmp_path / "none.csv")
    assert import_labels(labels, tmp_path / "none.csv") == 0
    give(labels, label())
    with pytest.raises(BadInput, match=r"\.csv, \.parquet, \.json"):
        export_labels(labels, tmp_path / "labels.xlsx")
    export_labels(labels, tmp_path / "labels.csv")
    text = (tmp_path / "labels.csv").read_text()
    for changed, reason in (
        (text.replace("analyst", "author"), "lacking: analyst"),
        (text.replace("2024-05-01T12:00:00", "noon"), "row 1: created is 'noon'"),
        (text.replace("open", "maybe"), "open, done, set aside"),
    ):
        (tmp_path / "bad.csv").write_text(changed)
        with pytest.raises(BadInput, match=reason):
            import_labels(labels, tmp_path / "bad.csv")
    (tmp_path / "bad.parquet").write_text("no parquet")
    with pytest.raises(BadInput, match=r"no \.parquet table"):
        import_labels(labels, tmp_path / "bad.parquet")
    assert len(labels.history()) == 1
