"""The command line: results, JSON shapes, messages and exit codes (design 9)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.cli import app, main
from workbench.store import open_store


class Told:
    """What a command came to: exit code, standard output, standard error."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> Told:
        capsys.readouterr()
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return Told(code, printed.out, printed.err)

    return call


def story(folder: Path, name: str = "story.yaml") -> Path:
    """A story of three batches and two questions."""
    path = folder / name
    path.write_text(
        """
story_id: 7
story_name: The kiln
category: Learning
batches:
  - {batch: 1, time: Monday 9:00 AM, user_input: "I booked a kiln slot with Oriane for Thursday."}
  - {batch: 2, time: Tuesday 9:00 AM, user_input: "How do I wedge clay?"}
  - {batch: 3, time: Thursday 6:00 PM, user_input: "The celadon glaze came out greener than I hoped."}
questions:
  - {question_id: 7_q1, question: "Who did I book the kiln with?", expected_contains: [Oriane]}
  - {question_id: 7_q2, question: "Which glaze did I use?", expected_contains: [celadon]}
""",
        encoding="utf-8",
    )
    return path


def test_load_then_query_then_evaluate(run, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    loaded = run("load", story(tmp_path), "--store", store, "--workers", 1, "--json", "-")
    assert loaded.code == 0
    assert loaded.json == {"cases": 1, "questions": 2, "notes": 3, "kept": 1, "repaired": 0, "quarantined": []}

    asked = run("query", "atant/7", "celadon glaze", "--method", "bm25", "--k", 2, "--store", store, "--json", "-")
    assert asked.code == 0
    assert asked.json["case"] == "atant/7"
    (hit,) = asked.json["hits"]
    assert hit["rank"] == 1
    assert sum(part["value"] for part in hit["why"]["parts"]) == pytest.approx(hit["score"])

    evaluated = run("evaluate", "--store", store, "--json", "-")
    assert evaluated.code == 0
    assert evaluated.json["benchmark"] == "atant"
    assert evaluated.json["questions"] == 2
    assert {"tag_basic", "tag_stopwords", "tag_tfidf", "adaptive", "bm25"} <= evaluated.json["methods"].keys()
    row = evaluated.json["methods"]["bm25"]
    assert row["mrr"] == 1.0
    assert set(row) >= {"mrr", "mrr_ci", "recall@5", "hit@5", "by_type", "seconds"}
    assert row["by_type"]["Learning"] == {"n": 2, "mrr": 1.0, "recall@5": 1.0}


def test_second_load_changes_nothing(run, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    first = run("load", story(tmp_path), "--store", store, "--workers", 1, "--json", "-").json
    with open_store(store, read_only=True) as opened:
        before = opened.info()
    again = run("load", story(tmp_path), "--store", store, "--workers", 1, "--json", "-")
    assert again.code == 0
    assert again.json == first
    with open_store(store, read_only=True) as opened:
        after = opened.info()
    assert (before.cases, before.notes, before.extractions) == (after.cases, after.notes, after.extractions)


def test_run_is_stored_and_exported_in_every_format(run, own_demo_store: Path, tmp_path: Path) -> None:
    result = run(
        "evaluate", "--benchmark", "atant_demo", "--methods", "bm25,tag_tfidf", "--store", own_demo_store, "--json", "-"
    ).json
    listed = run("runs", "--store", own_demo_store, "--json", "-").json
    assert [row["run"] for row in listed] == [result["run"]]
    for form in ("trec", "csv", "parquet"):
        out = tmp_path / f"run.{form}"
        told = run("export", result["run"], "--format", form, "--out", out, "--store", own_demo_store)
        assert told.code == 0
        assert out.stat().st_size > 0
    columns = (tmp_path / "run.trec").read_text(encoding="utf-8").splitlines()[0].split(" ")
    assert len(columns) == 6
    assert columns[1] == "Q0"
    assert columns[3] == "1"
    assert run("export", "store", "--out", tmp_path / "tables", "--store", own_demo_store).code == 0
    assert list((tmp_path / "tables").glob("*.parquet"))


def test_listings_name_what_is_registered(run) -> None:
    assert {"bm25", "bm25_filtered", "tag_basic", "tag_stopwords", "tag_tfidf", "adaptive"} <= {
        row["name"] for row in run("methods", "--json", "-").json
    }
    assert {"longmemeval", "locomo", "atant"} <= {row["name"] for row in run("datasets", "--json", "-").json}
    assert {"rules", "given"} <= {row["name"] for row in run("extractors", "--json", "-").json}
    assert {"mrr", "recall", "hit", "ndcg"} <= {row["name"] for row in run("measures", "--json", "-").json}


def test_every_entry_of_every_registry_has_help_and_every_default_a_meaning(run) -> None:
    for kind in ("methods", "datasets", "extractors", "measures"):
        assert all(row["help"] for row in run(kind, "--json", "-").json), kind
    assert all(row["meaning"] and row["source"] for row in run("defaults", "--json", "-").json)


def test_show_cases_and_notes(run, demo_store: Path, tmp_path: Path) -> None:
    listed = run("cases", "--store", demo_store, "--json", "-").json
    assert len(listed) >= 15
    key = listed[0]["case"]
    shown = run("show", key, "--store", demo_store, "--json", "-").json
    assert len(shown["questions"]) == listed[0]["questions"]
    assert shown["ontology"]["distinct"] > 10
    assert shown["topics"]["topics"] > 1
    assert "near-duplicate tags" in run("show", key, "--store", demo_store).out
    told = run("notes", key, "--out", tmp_path / "notes", "--store", demo_store)
    assert told.code == 0
    assert len(list((tmp_path / "notes").glob("*.md"))) == listed[0]["notes"]


def test_written_notes_load_again_with_their_tags(run, tmp_path: Path) -> None:
    store, second = tmp_path / "s.duckdb", tmp_path / "t.duckdb"
    run("load", story(tmp_path), "--store", store, "--workers", 1)
    run("notes", "atant/7", "--out", tmp_path / "notes", "--store", store)
    told = run("load", tmp_path / "notes", "--store", second, "--workers", 1, "--json", "-")
    assert told.json["notes"] == 3
    with open_store(store, read_only=True) as one, open_store(second, read_only=True) as two:
        again = two.cases.list()[0].key
        assert [row.extractor for row in two.extractions.list(again)] == ["given"]
        assert {n.id: n.extraction for n in one.notes.get("atant/7")} == {n.id: n.extraction for n in two.notes.get(again)}


def test_settings_and_profile_reach_the_method(run, demo_store: Path) -> None:
    command = ("query", "demo_01", "what did I say", "--store", demo_store, "--method", "bm25_filtered", "--json", "-")
    default = run(*command).json
    changed = run(*command, "--set", "bm25_filtered.filter_share=0.01", "--set", "bm25_filtered.filter_floor=0").json
    assert default != changed
    literal = run(*command, "--profile", "literal").json
    assert literal["query"] == default["query"]


def test_diffusion_of_a_question_and_of_a_typed_text(run, demo_store: Path) -> None:
    asked = run("diffuse", "demo_diffusion_helps", "demo_diffusion_helps", "--store", demo_store, "--json", "-").json
    assert asked["gold"]
    assert asked["converged"]
    assert sum(asked["steps"][-1]["mass"].values()) == pytest.approx(1)
    first = asked["attribution"][0]
    assert sum(part["value"] for part in first["seeds"]) == pytest.approx(first["score"])
    ranked = run(
        "query", "demo_diffusion_helps", asked["query"], "--method", "adaptive", "--store", demo_store, "--json", "-"
    ).json
    assert [hit["note"] for hit in ranked["hits"]] == [each["note"] for each in asked["attribution"]]
    typed = run(
        "diffuse", "demo_diffusion_helps", "cellist", "--set", "adaptive.alpha=0.5", "--store", demo_store, "--json", "-"
    ).json
    assert (typed["query"], typed["alpha"], typed["gold"]) == ("cellist", 0.5, [])
    assert "converged" in run("diffuse", "demo_diffusion_helps", "cellist", "--store", demo_store).out


def test_dilution_over_a_benchmark(run, demo_store: Path) -> None:
    found = run("dilution", "--benchmark", "longmemeval_demo", "--store", demo_store, "--json", "-").json
    assert len(found["questions"]) == 7
    assert {each["measure"] for each in found["correlations"]} >= {"topic_entropy", "total_variation"}


def test_removed_case_is_gone(run, own_demo_store: Path) -> None:
    assert run("remove", "demo_01", "--store", own_demo_store).code == 0
    told = run("show", "demo_01", "--store", own_demo_store)
    assert told.code == 1
    assert "demo_01" in told.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command"),
        (["load"], "Missing argument"),
        (["query", "demo_01", "x", "--method", "bm52"], "did you mean 'bm25'"),
        (["query", "demo_01", "x", "--method", "bm25", "--set", "bm25.k9=1"], "has no field 'k9'"),
        (["query", "demo_01", "x", "--method", "bm25", "--set", "bm25.k1=abc"], "is not a float"),
        (["query", "demo_01", "x", "--method", "bm25", "--set", "adaptive.alpha=1"], "not in use here"),
        (["query", "demo_01", "x", "--method", "bm25", "--profile", "nice"], "default, literal"),
        (["query", "demo_01", "x", "--method", "bm25", "--k", "0"], "k"),
        (["evaluate"], "several benchmarks"),
        (["evaluate", "--benchmark", "atant_demo", "--engine", "cloud"], "known: inline, local"),
        (["remove"], "name a case"),
        (["export", "store", "--out", "x", "--format", "xls"], "known: trec, csv, parquet"),
        (["load", "x", "--format", "locomotive"], "known: auto"),
    ],
)
def test_wrong_usage_exits_2_with_one_line(run, demo_store: Path, arguments: list[str], words: str) -> None:
    with_store = arguments if arguments[0] in ("nonsense",) else [*arguments, "--store", demo_store]
    told = run(*with_store)
    assert told.code == 2
    assert words in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert told.out == ""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        (b"", "empty"),
        (b"\x00\x01\x02 binary", "none of the known formats"),
        (b'[{"question_id": "q1", "question_type"', ""),
        (b"[]", ""),
    ],
)
def test_unusable_input_exits_1_with_one_line(run, tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "input.json"
    if content is not None:
        path.write_bytes(content)
    told = run("load", path, "--store", tmp_path / "s.duckdb", "--workers", 1, "--json", "-")
    assert told.code == 1
    assert words in told.err
    assert "input.json" in told.err
    assert len([line for line in told.err.strip().splitlines() if line.startswith("workbench:")]) == 1
    assert told.json["cases"] == 0


def test_failure_keeps_what_is_stored(run, own_demo_store: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[{", encoding="utf-8")
    with open_store(own_demo_store, read_only=True) as opened:
        before = opened.cases.list()
    assert run("load", bad, "--store", own_demo_store, "--workers", 1).code == 1
    with open_store(own_demo_store, read_only=True) as opened:
        assert opened.cases.list() == before


def test_missing_store_says_what_to_do(run, tmp_path: Path) -> None:
    told = run("cases", "--store", tmp_path / "none.duckdb")
    assert told.code == 1
    assert "workbench load" in told.err


def test_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "workbench", "methods"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "adaptive" in done.stdout


def test_every_command_has_help(run) -> None:
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert {"load", "query", "evaluate", "app"} <= set(commands)
    for command in commands:
        told = run(command, "--help")
        assert told.code == 0, command
        assert len(told.out.split("Usage")[1].splitlines()) > 3, command
