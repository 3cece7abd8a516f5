"""The page Evaluate: its figures and where else they stand, runs begun, stopped, gone on with, renamed, compared, exchanged."""

from __future__ import annotations

import csv
import io
import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.cli import main
from workbench.evaluate.ablations import ablation
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.evaluate.summary import summary
from workbench.evaluate.sweeps.base import Options, sweeps
from workbench.records import Run
from workbench.store import open_store
from workbench.ui import evaluate_results
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.jobs import Job, Stopped, jobs

METHODS = ("bm25", "tag_basic", "adaptive")
SPECS = tuple(MethodSpec(name) for name in METHODS)
TABS = (
    "Leaderboard",
    "By type",
    "Paired tests",
    "Wins and losses",
    "Disagreement",
    "Ablations & sweeps",
    "Table 1",
    "Runs",
)


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import evaluate

    context.sidebar()
    evaluate.show()


def visit(tab: str = "Leaderboard", **query: str) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in ({"benchmark": "small", "tab": tab} | query).items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def add_run(path: Path, specs=SPECS, **options) -> Run:
    with open_store(path, read_only=True) as store:
        keys = [row.key for row in store.cases.list("small")]
        extraction = common_extraction(store, keys, "first")
    return run_stored(path, keys, specs, extraction, **options)


def frames(page: AppTest) -> list[pd.DataFrame]:
    return [each.value for each in page.dataframe]


def finish(page: AppTest, path: Path):
    """Run the page until the store's job has ended."""
    job = jobs().of(str(path))
    assert job is not None
    end = time.monotonic() + 60
    while not job.future.done() and time.monotonic() < end:
        time.sleep(0.05)
    page.run()
    assert not page.exception, page.exception
    return job


def stored_runs(path: Path):
    with open_store(path, read_only=True) as store:
        return store.runs.list("small")


@pytest.fixture(scope="module")
def kinds(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store with a run of every kind that the page tells apart, and their ids."""
    path = Path(shutil.copy(built_store, tmp_path_factory.mktemp("kinds")))
    runs = [
        add_run(path),
        add_run(path, ablation("adaptive", ["diffusion"]), kind="ablation"),
        add_run(path, sweeps["alpha"].arms(Options(["0.5", "0.85"])), kind="sweep"),
        add_run(path, SPECS[:1], name=HOSTILE),
    ]
    return path, [run.id for run in runs]


@pytest.fixture
def ready(kinds, monkeypatch) -> str:
    """The run of three methods in that store, which the app starts with; for tests that only look."""
    path, ids = kinds
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    return ids[0]


# --- one number, four places ------------------------------------------------------------------------------------------------


def test_the_same_number_in_page_command_line_notebook_and_exported_file(store, capsys, tmp_path):
    asked = ["evaluate", "--benchmark", "small", "--extraction", "first", "--methods", ",".join(METHODS)]
    assert main([*asked, "--store", str(store), "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    with open_store(store, read_only=True) as opened:
        run = opened.runs.get(told["run"])
    notebook = summary(run)
    rows = list(csv.DictReader(io.StringIO(evaluate_results.exported(store, run.id, "csv", "questions").decode())))
    for measure in ("mrr", "recall@5", "hit@5", "ndcg@5"):
        page = visit(run=run.id, measure=measure)
        shown = frames(page)[0].set_index("Arm")
        for arm in METHODS:
            exported = fmean(float(row[measure]) for row in rows if row["method"] == arm and row["headline"] == "True")
            values = {told["methods"][arm][measure], notebook["methods"][arm][measure], shown.loc[arm, measure]}
            assert len(values) == 1
            assert exported == pytest.approx(values.pop(), abs=1e-12)
        if measure == "mrr":
            low, high = told["methods"]["bm25"]["mrr_ci"]
            assert shown.loc["bm25", "95% interval"] == f"[{low:.3f}, {high:.3f}]"
        assert set(shown["n"]) == {told["questions"]}


def test_a_comparison_is_the_same_on_the_page_and_in_the_core(kinds, ready):
    page = visit("Paired tests", run=ready)
    matrix, details = frames(page)
    (pair,) = [
        each
        for each in evaluate_results.pairs(kinds[0], ready, "mrr", "question")["headline"]
        if (each.first, each.second) == ("bm25", "tag_basic")
    ]
    expected = f"{pair.test.difference:+.3f} [{pair.test.interval[0]:+.3f}, {pair.test.interval[1]:+.3f}]"
    assert matrix.set_index("Row minus column").loc["bm25", "tag_basic"] == expected
    row = details[(details["First"] == "bm25") & (details["Second"] == "tag_basic")].iloc[0]
    assert (row["First - second [95%]"], row["n"], row["p (Holm)"]) == (expected, 3, f"{pair.p_holm:.3f}")


# --- what is shown ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_is_drawn_for_every_kind_of_run(kinds, tab, monkeypatch):
    path, ids = kinds
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    for id_ in ids:
        page = visit(tab, run=id_)
        assert HOSTILE not in markdown(page) + html(page)


def test_without_a_clear_lead_nothing_is_called_best(ready):
    page = visit(run=ready)
    assert "No arm is best" in markdown(page)
    assert not any("★" in cell for cell in frames(page)[0]["Standing"])


def test_what_is_not_available_is_no_number(store):
    run = add_run(store)
    row = frames(visit(run=run.id))[0].iloc[0]
    assert row["ms a question"] > 0
    with open_store(store) as opened:
        opened.runs.add(Run(**{**vars(run), "id": "timeless", "seconds": {}}))
    assert frames(visit(run="timeless"))[0]["ms a question"].isna().all()


def test_guards_are_named_and_told(ready):
    page = visit(run=ready)
    (guards,) = [each for each in page.expander if "Before trusting" in each.label]
    assert "few questions" in guards.label
    assert "3 questions in all: below 10" in texts(page)


def test_types_are_shown_with_their_counts_and_hostile_ones_as_text(ready):
    by_type = frames(visit("By type", run=ready))[0].set_index("Type")
    assert by_type.loc["all headline questions", "n"] == 3
    assert by_type.loc["single", "n"] == 1
    assert HOSTILE in by_type.index


def test_losses_come_first_and_can_be_shown_alone(ready):
    page = visit("Wins and losses", run=ready)
    page.selectbox(key=f"change-arm-{ready}").set_value("tag_basic").run()
    page.selectbox(key=f"change-against-{ready}-tag_basic").set_value("bm25").run()
    changes = frames(page)[0]
    assert list(changes["Change"]) == sorted(changes["Change"])
    assert (changes["Change"] < 0).any()
    page.segmented_control(key="change-shown").set_value("worse").run()
    assert (frames(page)[0]["Change"] < 0).all()
    assert f"worse at {len(frames(page)[0])}" in markdown(page).replace("\\", "")


def test_an_arm_is_set_against_another_run(store):
    first, second = add_run(store, [MethodSpec("bm25")]), add_run(store, [MethodSpec("tag_basic")])
    page = visit("Wins and losses", run=second.id)
    assert any("one arm" in each.value for each in page.info)
    page.selectbox(key=f"change-run-{second.id}").set_value(first.id).run()
    assert "Change" in frames(page)[0].columns


def test_questions_on_which_methods_agree_least_come_first(ready):
    overlaps = frames(visit("Disagreement", run=ready))[0]["Overlap"]
    assert len(overlaps) == 3
    assert overlaps.is_monotonic_increasing


def test_an_ablation_and_a_sweep_show_their_tables(kinds, ready):
    _, (plain_run, ablation_run, sweep_run, _) = kinds
    page = visit("Ablations & sweeps", run=ablation_run)
    assert list(frames(page)[0]["Arm"]) == ["adaptive", "adaptive - diffusion"]
    page = visit("Ablations & sweeps", run=sweep_run)
    assert set(frames(page)[0].iloc[:, 0]) == {"0.5", "0.85"}
    other = visit("Ablations & sweeps", run=plain_run)
    assert set(frames(other)[0]["Kind"]) == {"ablation", "sweep"}


def test_two_runs_are_compared_with_what_was_made_differently(store):
    first = add_run(store, [MethodSpec("adaptive")])
    second = add_run(store, [MethodSpec("adaptive", overrides={"alpha": 0.3})])
    page = visit("Runs", run=second.id)
    page.session_state["diff"] = True
    page.run()
    page.selectbox(key=f"diff-{second.id}").set_value(first.id).run()
    made = next(frame for frame in frames(page) if "Field" in frame.columns).set_index("Field")
    assert tuple(made.loc["adaptive.alpha"]) == ("0.85", "0.3")
    arms = next(frame for frame in frames(page) if "To - from [95%]" in frame.columns)
    assert list(arms["Arm"]) == ["adaptive"]


# --- which run --------------------------------------------------------------------------------------------------------------


def test_the_newest_is_shown_until_one_is_chosen_which_the_url_then_names(store):
    (older,) = stored_runs(store)
    newer = add_run(store)
    page = visit()
    assert page.selectbox(key="evaluate-choice").value == newer.id
    assert "run" not in page.query_params
    page.selectbox(key="evaluate-choice").set_value(older.id).run()
    assert page.query_params["run"] == older.id
    assert len(frames(page)[0]) == 2


def test_a_run_is_renamed_and_keeps_its_link(store):
    run = add_run(store)
    page = visit(run=run.id)
    page.text_input(key=f"run-name-{run.id}").set_value(HOSTILE).run()
    assert [row.name for row in stored_runs(store) if row.id == run.id] == [HOSTILE]
    assert HOSTILE in str(page.selectbox(key="evaluate-choice").options)
    assert page.query_params["run"] == run.id


def test_a_run_is_deleted_only_after_a_second_yes(store):
    run = add_run(store)
    page = visit(run=run.id)
    assert page.button(key="delete-run").disabled
    page.checkbox(key=f"delete-sure-{run.id}").check().run()
    page.button(key="delete-run").click().run()
    assert run.id not in [row.id for row in stored_runs(store)]
    assert "run" not in page.query_params


# --- work -------------------------------------------------------------------------------------------------------------------


def test_without_a_run_one_button_evaluates_the_cases(store):
    for row in stored_runs(store):
        with open_store(store) as opened:
            opened.runs.remove(row.id)
    page = visit(extraction="first:" + first_digest(store))
    assert any("No run yet" in each.value for each in page.info)
    assert page.button(key="first-run").label == "Evaluate these 2 cases"
    page.button(key="first-run").click().run()
    run = finish(page, store).future.result()
    assert [row.id for row in stored_runs(store)] == [run.id]
    assert len(frames(page)[0]) == len(run.config)


def first_digest(path: Path) -> str:
    with open_store(path, read_only=True) as store:
        return next(row.digest[:8] for row in store.extractions.list("small/kiln") if row.extractor == "first")


@pytest.mark.parametrize(("what", "kind", "arms"), [("Ablation", "ablation", 8), ("Sweep", "sweep", 4)])
def test_the_form_begins_variations(store, what, kind, arms):
    page = visit(extraction="first:" + first_digest(store))
    page.segmented_control(key="new-what").set_value(what).run()
    if kind == "sweep":
        page.selectbox(key="new-sweep").set_value("alpha").run()
        page.text_input(key="new-points-alpha").set_value("0.5, 0.85").run()
    assert f"{arms} arms" in page.button(key="new-start").label
    page.button(key="new-start").click().run()
    run = finish(page, store).future.result()
    assert (run.kind, len(run.config)) == (kind, arms)


def test_the_form_says_what_does_not_fit_before_anything_begins(store):
    page = visit()
    page.segmented_control(key="new-what").set_value("Sweep").run()
    page.selectbox(key="new-sweep").set_value("alpha").run()
    page.text_input(key="new-points-alpha").set_value("1.5").run()
    assert "alpha is 1.5" in texts(page)
    assert page.button(key="new-start").disabled


@pytest.fixture
def interrupted(store: Path) -> Callable[..., str]:
    def interrupt(name: str) -> str:
        def stop(done: int, _: str) -> None:
            raise RuntimeError("stopped by the test")

        with pytest.raises(RuntimeError):
            add_run(store, name=name, progress=stop)
        with open_store(store, read_only=True) as opened:
            return opened.unfinished.list()[0].run

    return interrupt


def test_an_interrupted_run_is_listed_and_goes_on_to_the_same_results(store, interrupted):
    id_ = interrupted(HOSTILE)
    page = visit()
    assert f"{HOSTILE}: 1 of 2 cases done" in texts(page)
    page.button(key=f"continue-{id_}").click().run()
    run = finish(page, store).future.result()
    assert (run.id, run.results) == (id_, add_run(store).results)
    assert "cases done" not in texts(page)


def test_an_interrupted_run_is_dropped(store, interrupted):
    id_ = interrupted("left")
    page = visit()
    page.button(key=f"drop-{id_}").click().run()
    assert "cases done" not in texts(page)
    with open_store(store, read_only=True) as opened:
        assert opened.unfinished.list() == []


def test_while_a_job_is_under_way_the_page_works_and_begins_no_second(store):
    gate = threading.Event()
    job = jobs().start("Waiting", str(store), lambda _: gate.wait(30), place="elsewhere")
    try:
        page = visit(run=add_run(store).id)
        assert page.button(key="new-start").disabled
        assert len(frames(page)[0]) == len(METHODS)
    finally:
        gate.set()
        job.future.result()


def test_another_systems_file_becomes_a_run_and_stands_in_the_list(store, tmp_path):
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps({"kiln_q1": ["s2#1"], "kiln_q2": ["s1#1", "s3#1"]}))
    page = visit("Runs", run=add_run(store).id)
    page.text_input(key="import-path").set_value(str(tmp_path / "missing")).run()
    assert "There is no such file." in texts(page)
    page.text_input(key="import-path").set_value(str(file)).run()
    page.button(key="import-start").click().run()
    report = finish(page, store).future.result()
    assert "theirs: 2 of 3 questions answered" in texts(page)
    page.button(key="show-new-run").click().run()
    assert page.query_params["run"] == report.run.id
    assert frames(visit(run=report.run.id))[0].iloc[0]["mrr"] == pytest.approx((1 + 0.5) / 3)


def test_table_1_is_worked_out_beside_the_page(store):
    page = visit("Table 1", benchmark="small")
    page.button(key="table1-start").click().run()
    rows = finish(page, store).future.result()
    assert [row.row for row in rows] == ["small"] * 2  # two extractions
    ours = next(frame for frame in frames(page) if "MRR" in frame.columns)
    assert sorted(ours["MRR"]) == ["ours, first", "ours, second"]
    assert ours["openclaw"].str.fullmatch(r"–|\d\.\d{3} \[.*\]").all()


@pytest.mark.parametrize("form", ["trec", "csv", "parquet", "json", "qrels"])
def test_files_are_those_of_the_command_line(store, tmp_path, form):
    run = add_run(store)
    out = tmp_path / "out"
    assert main(["export", run.id, "--out", str(out), "--format", form, "--store", str(store)]) == 0
    assert evaluate_results.exported(store, run.id, form) == out.read_bytes()


def test_stopping_keeps_what_was_done_and_offers_to_go_on(store, monkeypatch):
    advance = Job.advance

    def stop_at_once(job: Job, done: int, name: str) -> None:
        job.stop()
        advance(job, done, name)

    monkeypatch.setattr(Job, "advance", stop_at_once)
    page = visit(extraction="first:" + first_digest(store))
    page.text_input(key="new-name").set_value("half").run()
    page.button(key="new-start").click().run()
    assert isinstance(finish(page, store).future.exception(), Stopped)
    assert "was stopped" in markdown(page)
    assert "half: 1 of 2 cases done" in texts(page)
