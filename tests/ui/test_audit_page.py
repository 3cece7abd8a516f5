"""The page Audit: its figures and where else they stand, the queue with filters, keys and labels, analysts, files."""

from __future__ import annotations

import csv
import io
import json
import shutil
import time
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.cli import main
from workbench.diagnose.report import CONTROL_HEAD, POOL_HEAD, control_table, pool_sentences, pool_table
from workbench.errors import StoreError
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.labels.taxonomy import Cause, change_taxonomy, default_taxonomy
from workbench.store import ExtractionKey, Label, labels_path, open_labels, open_store
from workbench.ui import audit_export, audit_labels, audit_work
from workbench.ui.audit_rows import Facts, Filter, Miss, counts, is_wanted, lost_rows, misses, ranked_better, row_key
from workbench.ui.audit_work import Kept, Request
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.jobs import Job, jobs

METHODS = ("tag_basic", "adaptive", "bm25")
BENCHMARK = "longmemeval_demo"
NOON = datetime(2024, 5, 1, 12)
GOLD = ("longmemeval_demo/demo_missing_tag", "demo_missing_tag", "answer_demo_a_1#1")
TABS = ("Queue", "Pooled table", "Control and intervention", "Agreement", "Contested gold", "Export")


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import audit

    context.sidebar()
    audit.show()


def visit(part: str = "Queue", **query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in ({"benchmark": BENCHMARK, "part": part} | query).items():
        page.query_params[name] = value
    return run(page)


def run(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, page.exception
    return page


def click(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    return run(page)


def named(page: AppTest, name: str = "Ann") -> AppTest:
    page.text_input(key="audit-analyst").set_value(name)
    return run(page)


def audited(path: Path, **options: Any) -> Kept:
    """An audit that the page finds, as its job would have made it."""
    request = replace(Request(str(path), (BENCHMARK,), METHODS), **options)
    with open_store(path, read_only=True) as store:
        keys = [row.key for name in request.benchmarks for row in store.cases.list(name)]
    return audit_work.work(request, keys, Job("test", str(path)))


def given(path: Path, **what: Any) -> None:
    case, question, note = GOLD
    with open_labels(path) as labels:
        labels.add([Label(**{"case": case, "question": question, "note": note, "analyst": "Ann", "created": NOON} | what)])


def history(path: Path) -> list[Label]:
    with open_labels(path, read_only=True) as labels:
        return labels.history()


def queue(page: AppTest) -> pd.DataFrame:
    return next(each.value for each in page.data_editor if "Show" in each.value)


def facet(page: AppTest, name: str) -> dict[str, int]:
    """The counts of a facet by value."""
    found = {}
    for button in page.button:
        head = f"facet-{name}-"
        if button.key and button.key.startswith(head):
            found[button.key.removeprefix(head)] = int(button.label.rsplit("**", 2)[1])
    return found


@pytest.fixture(scope="module")
def kept(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """An audit with interventions, over a copy of the demo that is not written to."""
    path = Path(shutil.copy(demo_store, tmp_path_factory.mktemp("audit") / "demo.duckdb"))
    return audited(path, interventions=True)


@pytest.fixture
def ready(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """The same, in the store that the app starts with."""
    monkeypatch.setenv(STORE_VARIABLE, kept.request.store)
    return kept


@pytest.fixture
def own(kept: Kept, own_demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo with the audit that a press of the first button would make, which may be written to."""
    monkeypatch.setenv(STORE_VARIABLE, str(own_demo_store))
    request = replace(kept.request, store=str(own_demo_store))
    audit_work._shelf().put(replace(kept, request=request, state=audit_work.state_of(request)))
    return own_demo_store


# --- one number everywhere --------------------------------------------------------------------------------------------------


def test_every_number_is_that_of_the_command_and_of_the_report(ready, tmp_path, capsys):
    html_file, table = tmp_path / "report.html", tmp_path / "rows.csv"
    common = ["audit", "--benchmark", BENCHMARK, "--methods", ",".join(METHODS), "--store", ready.request.store, "--json", "-"]
    assert main([*common, "--out", str(html_file), "--rows", str(table)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert json.loads(html_file.read_text("utf-8").split('id="audit">')[1].split("</script>")[0]) == result
    assert json.loads(json.dumps(audit_export.result_of(ready, []))) == result
    assert audit_export.report(ready, []) == html_file.read_text("utf-8")
    assert audit_export.rows_file(ready, ready.found.notes, [], ".csv") == table.read_bytes()

    page = visit("Pooled table")
    frames = [each.value for each in page.dataframe]
    pool = next(frame for frame in frames if list(frame.columns) == list(POOL_HEAD))
    assert pool.to_numpy().tolist() == pool_table(result)
    assert "\n".join(pool_sentences(result)) in texts(page)
    stages = next(frame for frame in frames if "found" in frame.columns)
    for row, said in zip(stages.to_dict("records"), result["stages"], strict=True):
        assert {name: count for name, count in row.items() if name in said["notes"]} == said["notes"]

    page = visit("Control and intervention")
    for unit in ("gold notes", "questions"):
        page.segmented_control(key="control-unit").set_value(unit)
        for by in ("all", "type"):
            page.segmented_control(key="control-by").set_value(by)
            run(page)
            shown = next(frame.value for frame in page.dataframe if CONTROL_HEAD[2] in frame.value)
            assert shown.to_numpy().tolist() == control_table(result, unit, by)


def test_the_queue_counts_what_the_tables_count(ready):
    for said in ready.result["stages"]:
        page = visit(**{"only-method": said["method"]})
        assert facet(page, "stage") == {name: count for name, count in said["notes"].items() if name != "found"}
    every = visit()
    missed = {row["method"]: sum(row["notes"].values()) - row["notes"].get("found", 0) for row in ready.result["stages"]}
    assert facet(every, "method") == missed
    assert len(queue(every)) == len(ready.misses)


def test_the_forest_plot_has_the_differences_of_the_table(ready):
    page = visit("Control and intervention")
    (chart,) = page.get("plotly_chart")
    drawn = {trace["y"][0]: trace["x"][0] for trace in json.loads(chart.proto.spec)["data"]}
    rows = [row for row in ready.result["control"] if (row["unit"], row["by"]) == ("gold notes", "all")]
    assert drawn == {row["method"]: row["difference"] for row in rows}
    assert "An odds ratio is infinite" in markdown(page)
    assert "quote those of the note's words" in markdown(page)


# --- begun and kept ---------------------------------------------------------------------------------------------------------


def finish(page: AppTest, path: Path) -> Job:
    job = jobs().of(str(path))
    assert job is not None
    end = time.monotonic() + 60
    while not job.future.done() and time.monotonic() < end:
        time.sleep(0.05)
    run(page)
    return job


def test_without_an_audit_one_button_begins_it(own_demo_store, monkeypatch):
    monkeypatch.setenv(STORE_VARIABLE, str(own_demo_store))
    page = visit(methods=["bm25", "tag_basic"])
    assert any("No audit yet" in each.value for each in page.info)
    click(page, "first-audit")
    found = finish(page, own_demo_store).future.result()
    assert found.found.methods == ("bm25", "tag_basic")
    assert found.found.is_tried is False
    assert len(queue(page)) == len(found.misses)
    assert page.query_params["audit"] == found.request.id


def test_the_form_asks_for_interventions_and_other_places(own):
    page = visit()
    page.toggle(key="audit-interventions").set_value(True)
    page.number_input(key="audit-k").set_value(1)
    page.multiselect(key="audit-methods").set_value(["bm25"])
    run(page)
    click(page, "start-audit")
    found = finish(page, own).future.result()
    assert (found.found.is_tried, found.found.k, found.found.methods) == (True, 1, ("bm25",))
    assert page.selectbox(key="audit-choice").value == found.request.id
    page.selectbox(key="audit-choice").set_value(Request(str(own), (BENCHMARK,), METHODS, interventions=True).id)
    run(page)
    assert facet(page, "method").keys() == set(METHODS)


def test_a_job_that_fails_says_why(own_demo_store, monkeypatch):
    monkeypatch.setenv(STORE_VARIABLE, str(own_demo_store))

    def fail(*_: Any, **__: Any) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(audit_work, "audit", fail)
    page = click(visit(), "first-audit")
    finish(page, own_demo_store)
    assert "the disk is gone" in texts(page)
    assert page.button(key="first-audit")


def test_runs_and_copies_leave_an_audit_and_other_questions_make_it_outdated(own):
    with open_store(own) as store:
        case = store.cases.get(GOLD[0])
        notes = store.notes.get(GOLD[0])
        store.runs.add(evaluate(case_inputs(store, [GOLD[0]]), [MethodSpec("bm25")], {}))
        store.cases.add(case, notes, ExtractionKey("rules+edits", {"name": "copy"}))
    assert len(queue(visit())) > 0
    with open_store(own) as store:
        store.cases.add(case, notes, ExtractionKey("another"))
    page = visit()
    assert any("The data have changed" in each.value for each in page.info)


def test_an_audit_of_several_benchmarks_is_shown_for_each(own):
    kept = audited(own, benchmarks=(BENCHMARK, "atant_demo"))
    page = visit(audit=kept.request.id, benchmark="atant_demo")
    assert facet(page, "benchmark").keys() == {BENCHMARK, "atant_demo"}
    page = visit("Control and intervention", audit=kept.request.id)
    assert "By benchmark" in str(page.segmented_control(key="control-by").options)


# --- filters ----------------------------------------------------------------------------------------------------------------


def test_a_click_on_a_count_narrows_the_queue_to_as_many(ready):
    page = visit()
    for name in ("stage", "method", "type"):
        for value, count in facet(page, name).items():
            click(page, f"facet-{name}-{value}")
            assert len(queue(page)) == count, (name, value)
            assert page.query_params[f"only-{name}"] == value
            click(page, f"facet-{name}-{value}")
    assert "only-type" not in page.query_params


def test_stage_and_method_are_of_one_row(ready):
    page = visit(**{"only-stage": "diluted", "only-method": "tag_basic"})
    assert any("No miss fits" in each.value for each in page.info)
    click(page, "clear-filter")
    assert len(queue(page)) == len(ready.misses)


def test_the_filter_lists_what_it_is_about(ready):
    page = visit(**{"only-method": "bm25"})
    assert set(queue(page)["Missed by"]) == {"bm25"}


def test_worse_than_a_run_takes_what_the_run_ranks_higher(own):
    kept = audited(own, k=1)
    with open_store(own) as store:
        keys = [row.key for row in store.cases.list(BENCHMARK)]
        run_ = evaluate(case_inputs(store, keys), [MethodSpec("tag_basic", "literal"), MethodSpec("bm25")], {})
        store.runs.add(run_)
    page = visit(audit=kept.request.id, **{"only-worse": run_.id})
    expected = ranked_better(run_, kept.found.notes)
    assert not any(method == "bm25" for *_, method in expected)  # the same ranking is not a better one
    shown = [] if not page.data_editor or "Show" not in page.data_editor[-1].value else queue(page)["Gold note"]
    assert Counter(shown) == Counter({note for _, _, note, *_ in expected})


def test_ranked_better_compares_ranks_of_the_same_method(kept):
    lost = next(row for row in kept.found.notes if not row.is_found)
    with open_store(kept.request.store, read_only=True) as store:
        run_ = evaluate(case_inputs(store, [lost.case]), [MethodSpec(lost.method)], {})
    (result,) = (each for each in run_.results if each.question == lost.question)
    before = replace(run_, results=(replace(result, note_ids=(lost.note, *result.note_ids)),))
    assert ranked_better(before, [lost]) == {row_key(lost)}
    assert ranked_better(before, [replace(lost, method="other")]) == set()
    assert ranked_better(replace(before, kind="import"), [replace(lost, method="other")])
    assert ranked_better(before, [replace(lost, rank=1)]) == set()
    assert ranked_better(before, [replace(lost, is_found=True)]) == set()
    silent = replace(run_, results=(replace(result, note_ids=()),))
    assert ranked_better(silent, [lost]) == set()


def test_counts_of_a_facet_are_sizes_of_its_filters(kept):
    facts = Facts({kept.misses[0].key: Label(case="c", question="q", analyst="A", label="cut", status="done", created=NOON)})
    for base in (Filter(), Filter(method="tag_basic"), Filter(stage="outscored"), Filter(label="cut")):
        for name, found in counts(kept.misses, base, facts).items():
            for value, count in found.items():
                narrowed = replace(base, **{name: value})
                assert sum(is_wanted(miss, narrowed, facts) for miss in kept.misses) == count


def test_misses_are_gold_notes_that_some_method_lost(kept):
    found = misses(kept.found.notes)
    assert sum(len(miss.lost) for miss in found) == sum(not row.is_found for row in kept.found.notes)
    assert all(isinstance(miss, Miss) and miss.lost and lost_rows(miss, Filter(), Facts({})) for miss in found)


# --- steps, keys, labels ----------------------------------------------------------------------------------------------------


def test_steps_go_through_the_queue_and_links_follow(ready):
    page = visit(case=GOLD[0], question=GOLD[1])
    assert queue(page)["Show"].tolist() == [True] + [False] * (len(ready.misses) - 1)
    for miss in ready.misses[1:]:
        click(page, "miss-next")
        assert (page.query_params["case"], page.query_params["gold"]) == (miss.key[0], miss.key[2])
        assert queue(page).loc[queue(page)["Show"], "Gold note"].tolist() == [miss.key[2]]
    assert page.button(key="miss-next").disabled
    click(page, "miss-previous")
    assert page.query_params["gold"] == ready.misses[-2].key[2]


def test_the_shown_miss_tells_stage_rank_sentence_and_tags(ready):
    shown = html(visit(case=GOLD[0], question=GOLD[1]))
    assert "✕ not extracted" in shown
    assert "tag_basic had no tag to come in by" in shown
    assert "one added tag brings it in" in shown
    assert "✓ in top 5" in shown
    assert "only the assistant says it" in shown


def test_without_a_name_nothing_can_be_labelled(own):
    page = visit(case=GOLD[0], question=GOLD[1])
    assert page.button(key="cause-2").disabled
    named(page)
    assert not page.button(key="cause-2").disabled
    assert "Ann" not in str(page.query_params)


def test_a_key_labels_the_shown_miss_and_again_takes_it_back(own):
    page = named(visit(case=GOLD[0], question=GOLD[1]))
    number = default_taxonomy().names.index("extracted") + 1
    click(page, f"cause-{number}")
    (label,) = history(own)
    assert (label.place, label.label, label.status, label.analyst) == ((*GOLD, ""), "extracted", "open", "Ann")
    assert queue(page)["Label"].tolist()[0] == "extracted"
    assert facet(page, "label")["extracted"] == 1
    click(page, f"cause-{number}")
    assert [each.label for each in history(own)] == ["extracted", ""]
    assert "extracted" not in facet(page, "label")


def test_a_labelled_miss_leaves_the_filter_and_stays_in_sight(own):
    page = named(visit(case=GOLD[0], question=GOLD[1], **{"only-label": "∅"}))
    before = len(queue(page))
    click(page, "cause-2")
    assert len(queue(page)) == before - 1
    assert any("not among" in each.value for each in page.caption)
    assert "✕ not extracted" in html(page)
    click(page, "miss-next")
    assert queue(page)["Show"].tolist()[0]


def change(page: AppTest, table: Any, value: dict[str, Any]) -> AppTest:
    """Send what a table's widget would send from the browser, callbacks included: AppTest has no clicks for tables."""
    states = page._tree.get_widget_states()
    state = states.widgets.add()
    state.id, state.string_value = table.proto.id, json.dumps(value)
    page._run(states)
    assert not page.exception, page.exception
    return page


def edit(page: AppTest, at: int, **cells: Any) -> AppTest:
    """Change cells of the queue; the editor sends all that was changed since it was drawn."""
    table = next(each for each in page.data_editor if "Show" in each.value)
    return change(page, table, {"edited_rows": {at: cells}, "added_rows": [], "deleted_rows": []})


def test_cells_are_saved_as_one_row_each_and_stay_as_they_are_shown(own):
    page = named(visit(case=GOLD[0], question=GOLD[1]))
    edit(page, 1, Label="cut")
    edit(page, 1, Label="cut", Comment=" two words ")
    assert [(each.label, each.comment) for each in history(own)] == [("cut", ""), ("cut", "two words")]
    edit(page, 1, Label="cut", Comment="two words", Status="done")
    assert len(history(own)) == 3
    run(page)
    assert len(history(own)) == 3
    assert queue(page).loc[1, ["Label", "Comment", "Status"]].tolist() == ["cut", "two words", "done"]
    edit(page, 1, Label=None)
    assert history(own)[-1].label == ""


def test_a_label_given_by_key_is_not_hidden_by_an_earlier_edit(own):
    page = named(visit(case=GOLD[0], question=GOLD[1]))
    edit(page, 0, Label="cut")
    table = next(each for each in page.data_editor if "Show" in each.value)
    page.button(key="cause-1").click()
    change(page, table, {"edited_rows": {0: {"Label": "cut"}}, "added_rows": [], "deleted_rows": []})
    assert table.key != next(each.key for each in page.data_editor if "Show" in each.value)
    assert queue(page).loc[0, "Label"] == "stored"
    assert [each.label for each in history(own)] == ["cut", "stored"]


def test_a_tick_looks_at_a_miss(own):
    page = visit(case=GOLD[0], question=GOLD[1])
    edit(page, 2, Show=True)
    assert queue(page)["Show"].tolist()[2]
    assert page.query_params["gold"] == queue(page).loc[2, "Gold note"]


def test_what_can_t_be_saved_is_kept_shown_and_saved_later(own, monkeypatch):
    page = named(visit(case=GOLD[0], question=GOLD[1]))

    def locked(*_: Any, **__: Any) -> None:
        raise StoreError("locked by another process")

    with monkeypatch.context() as patch:
        patch.setattr(audit_labels, "give", locked)
        edit(page, 1, Comment="a long thought")
        assert "locked by another process" in texts(page)
        assert queue(page).loc[1, "Comment"] == "a long thought"
        click(page, "miss-next")
        assert queue(page).loc[1, "Comment"] == "a long thought"
        assert history(own) == []
    click(page, "retry-labels")
    assert [each.comment for each in history(own)] == ["a long thought"]
    assert "locked" not in texts(page)
    assert "not saved" not in markdown(page)


def test_labels_that_can_t_be_read_are_no_missing_labels(own):
    labels_path(own).write_bytes(b"no database")
    page = visit()
    assert "The labels can't be read" in markdown(page)
    assert not page.data_editor


def test_causes_are_changed_in_versions_and_old_labels_keep_their_words(own):
    given(own, label="wrong gold")
    with open_labels(own) as labels:
        change_taxonomy(labels, [Cause("mine", "of my own"), Cause("cut")], "Ann", NOON)
    page = named(visit(case=GOLD[0], question=GOLD[1]))
    assert [button.label for button in page.button if (button.key or "").startswith("cause-")] == ["mine", "cut"]
    assert queue(page).loc[0, "Label"] == "wrong gold"
    edit(page, 0, Comment="still so")
    assert [(each.label, each.comment) for each in history(own)][-1] == ("wrong gold", "still so")
    causes = next(each for each in page.data_editor if "Meaning" in each.value)
    added = [{"Cause": HOSTILE, "Meaning": "x"}]
    change(page, causes, {"edited_rows": {}, "added_rows": added, "deleted_rows": [1]})
    click(page, "save-causes")
    assert [cause.name for cause in audit_labels.known(own).causes.causes] == ["mine", HOSTILE]
    assert HOSTILE not in markdown(page)


def test_every_extraction_is_audited_and_a_miss_is_shown_under_the_one_that_misses_it(store):
    request = Request(str(store), ("small",), ("tag_basic",), ("first", "second"))
    kept = audit_work.work(request, ["small/kiln"], Job("test", str(store)))
    assert set(kept.sources) == {"first", "second"}
    page = visit(benchmark="small", case="small/kiln", question="kiln_q2")
    assert "Under the extraction" in markdown(page)
    assert {"first", "second"} >= facet(page, "extraction").keys()
    click(page, "miss-next" if not page.button(key="miss-next").disabled else "miss-previous")
    assert page.query_params["extraction"].startswith(("first:", "second:"))


def test_text_of_others_is_only_text(store):
    kept = audit_work.work(Request(str(store), ("small",), ("tag_basic", "bm25"), k=1), ["small/hostile"], Job("t", str(store)))
    rows = [replace(row, is_found=False, type=HOSTILE, stage=HOSTILE) for row in kept.found.notes]
    hostile = replace(kept, found=replace(kept.found, notes=tuple(rows)))
    audit_work._shelf().put(hostile)
    miss = hostile.misses[0].key
    given(store, case=miss[0], question=miss[1], note=miss[2], label=HOSTILE, comment=HOSTILE, contested=HOSTILE, analyst=HOSTILE)
    given(store, case=miss[0], question=miss[1], note=miss[2], label="cut")
    for part in TABS:
        page = visit(part, benchmark="small", case=miss[0], question=miss[1])
        assert HOSTILE not in markdown(page)
        assert "<img" not in html(page)
    page = named(visit(benchmark="small", case=miss[0], question=miss[1]), HOSTILE)
    assert queue(page).loc[0, "Comment"] == HOSTILE


# --- analysts and files -----------------------------------------------------------------------------------------------------


def test_agreement_says_what_to_do_and_then_kappa_and_the_disagreements(own):
    assert any("agreement takes two" in each.value for each in visit("Agreement").info)
    other = ("longmemeval_demo/demo_common_word", "demo_common_word", "answer_demo_b_1#1")
    for analyst, causes in (("Ann", ("cut", "tagged")), ("Bob", ("cut", "stored"))):
        for (case, question, note), cause in zip((GOLD, other), causes, strict=True):
            given(own, case=case, question=question, note=note, analyst=analyst, label=cause)
    page = visit("Agreement")
    (pair,) = audit_export.result_of(audited(own), audit_labels.known(own).of_cases([GOLD[0], other[0]]))["labels"]["agreement"]
    assert f"**{pair['kappa']:.3f} [" in markdown(page)
    assert "They agree on 1 of 2 places" in markdown(page)
    table = next(frame for frame in page.dataframe if "Ann" in frame.value)
    assert table.value[["Gold note", "Ann", "Bob"]].to_numpy().tolist() == [[other[2], "tagged", "stored"]]
    change(page, table, {"selection": {"rows": [0], "columns": [], "cells": []}})
    assert page.query_params["gold"] == other[2]


def test_contested_gold_shows_every_measure_with_and_without(own):
    assert any("No gold is contested" in each.value for each in visit("Contested gold").info)
    given(own, contested="two notes say it")
    assert any("No run yet" in each.value for each in visit("Contested gold").info)
    with open_store(own) as store:
        keys = [row.key for row in store.cases.list(BENCHMARK)]
        run_ = evaluate(case_inputs(store, keys), [MethodSpec("bm25")], {})
        store.runs.add(run_)
    page = visit("Contested gold")
    table = next(frame.value for frame in page.dataframe if "Uncontested" in frame.value)
    assert set(table["Measure"]) == {name for result in run_.results for name in result.measures} - {"store_notes"}
    mrr = table[table["Measure"] == "mrr"].iloc[0]
    assert (mrr["n"], mrr["n uncontested"]) == (7, 6)
    (patch,) = [each for each in page.get("download_button") if "Patch file" in each.proto.label]
    assert "1 record" in patch.proto.label


def test_rows_of_the_filter_are_counted_as_they_are_written(ready):
    page = visit("Export", **{"only-method": "tag_basic"})
    words = [str(option) for option in page.segmented_control(key="export-which").options]
    left = [row for row in ready.found.notes if row.method == "tag_basic" and not row.is_found]
    assert words == [f"All {len(ready.found.notes)} rows", f"{len(left)} rows of the queue's filter"]
    rows = list(csv.DictReader(io.StringIO(audit_export.rows_file(ready, left, [], ".csv").decode())))
    assert len(rows) == len(left)
    frame = pd.read_parquet(io.BytesIO(audit_export.rows_file(ready, left, [], ".parquet")))
    assert frame["note"].tolist() == [row["note"] for row in rows] == [row.note for row in left]


def test_labels_go_out_and_come_in_again(own):
    given(own, label="cut", comment=HOSTILE)
    data = audit_export.labels_file(own, ".csv")
    page = visit("Export")
    assert any("1 current label by 1 analyst" in each.value for each in page.caption)
    labels_path(own).unlink()
    page.file_uploader(key="labels-file").set_value(("labels.csv", data, "text/csv"))
    run(page)
    click(page, "import-labels")
    assert "1 new label added" in texts(page)
    assert [each.comment for each in history(own)] == [HOSTILE]
