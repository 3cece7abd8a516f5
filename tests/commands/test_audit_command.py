"""The command `audit`: one number everywhere, all rows in the file, labels beside them."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from workbench.cli import main
from workbench.labels.taxonomy import give
from workbench.store import Label, open_labels, open_store

GOLD = "answer_demo_a_1#1"
Capture = pytest.CaptureFixture[str]


def told(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["audit", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def case_names(store: Path) -> str:
    with open_store(store, read_only=True) as opened:
        return ",".join(row.key for row in opened.cases.list("longmemeval_demo"))


def test_report_rows_and_json_say_the_same(own_demo_store: Path, tmp_path: Path, capsys: Capture) -> None:
    case = "longmemeval_demo/demo_missing_tag"
    when = datetime(2024, 5, 1)
    with open_labels(own_demo_store) as labels:
        mine = {"case": case, "question": "demo_missing_tag", "created": when}
        give(labels, Label(**mine, analyst="Ann", label="extracted", note=GOLD, method="tag_basic", status="done"))  # type: ignore[arg-type]
        give(labels, Label(**mine, analyst="Bob", label="wrong gold", contested="the other session"))  # type: ignore[arg-type]
        give(labels, Label(**mine | {"case": "demo/other"}, analyst="Bob", label="cut"))  # type: ignore[arg-type]
    html, parquet, table = tmp_path / "report.html", tmp_path / "rows.parquet", tmp_path / "rows.csv"
    common = ("--cases", case_names(own_demo_store), "--methods", "tag_basic,bm25", "--store", own_demo_store)
    code, out, _ = told(capsys, *common, "--out", html, "--rows", parquet, "--json", "-")
    assert code == 0
    result = json.loads(out)
    text = html.read_text("utf-8")
    assert json.loads(text.split('id="audit">')[1].split("</script>")[0]) == result
    assert result["labels"]["by_label"] == {"extracted": 1, "wrong gold": 1}
    assert result["labels"]["contested"] == 1
    code, out, _ = told(capsys, *common, "--rows", table)
    assert code == 0
    assert f"{result['rows']} rows written to {table}" in out
    frame = pd.read_parquet(parquet)
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(frame) == len(rows) == result["rows"]
    misses = [row for row in result["control"] if (row["unit"], row["by"], row["method"]) == ("gold notes", "all", "tag_basic")]
    assert misses[0]["misses"]["of"] == sum(row["method"] == "tag_basic" and row["is_found"] == "False" for row in rows)
    (labelled,) = frame[(frame["note"] == GOLD) & (frame["method"] == "tag_basic")]["labels"]
    assert list(labelled) == ["Ann: extracted (done)", "Bob: wrong gold (open)"]
    (other,) = frame[(frame["note"] == GOLD) & (frame["method"] == "bm25")]["labels"]
    assert list(other) == ["Bob: wrong gold (open)"]


def test_benchmarks_are_pooled_where_they_are_named(demo_store: Path, capsys: Capture) -> None:
    common = ("--methods", "tag_basic", "--no-interventions", "--store", demo_store)
    code, out, _ = told(capsys, *common, "--benchmark", "longmemeval_demo,atant_demo", "--json", "-")
    assert code == 0
    result = json.loads(out)
    assert (result["benchmarks"], result["cases"]) == (["longmemeval_demo", "atant_demo"], 21)
    assert result["control"][0]["repaired"] is None
    code, _, err = told(capsys, *common)
    assert code == 2
    assert "several benchmarks" in err


def test_wrong_usage_comes_before_the_work(demo_store: Path, tmp_path: Path, capsys: Capture) -> None:
    common = ("--benchmark", "atant_demo", "--store", demo_store)
    code, _, err = told(capsys, *common, "--rows", tmp_path / "rows.xlsx")
    assert (code, ".csv, .parquet, .json" in err) == (1, True)
    assert told(capsys, *common, "--methods", "nosuch")[0] == 2
    code, _, err = told(capsys, *common, "--extraction", "llm")
    assert (code, "no extraction 'llm'" in err) == (1, True)
    code, _, err = told(capsys, *common, "--methods", "bm25", "--no-interventions", "--out", tmp_path / "no" / "report.html")
    assert (code, "can't be written" in err) == (1, True)
