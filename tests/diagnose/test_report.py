"""The report: the same numbers as the JSON, hostile text as text, and nothing that a browser would fetch."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from audited import audit_of, demo_audit, row

from workbench.diagnose.report import (
    CONTROL_HEAD,
    audit_json,
    control_table,
    headline,
    note_rows,
    pool_sentences,
    pool_table,
    share_text,
)
from workbench.diagnose.report_html import LISTED, report_html

HOSTILE = '</script><script>alert(1)</script><img src="https://evil.example/x">\u202e'


class Cells(HTMLParser):
    """The texts of table cells, and every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "td":
            self.cells.append("")
        self._inside = tag == "td"

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.cells[-1] += data


def embedded(text: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="audit">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_every_number_of_the_json_is_in_the_report(demo_store: Path) -> None:
    found = demo_audit(demo_store)
    result = audit_json(found)
    text = report_html(result, [each for each in note_rows(found) if not each["is_found"]])
    assert embedded(text) == json.loads(json.dumps(result)) == result
    cells = Cells(text).cells
    for line in pool_table(result):
        assert [str(each) for each in line] in [cells[at : at + len(line)] for at in range(len(cells))]
    for unit in ("gold notes", "questions"):
        for by in ("all", "benchmark", "type"):
            lines = control_table(result, unit, by)
            assert lines
            for line in lines:
                assert len(line) == len(CONTROL_HEAD) + (by != "all")
                assert line in [cells[at : at + len(line)] for at in range(len(cells))]
    assert len(found.notes) == result["rows"] == len(note_rows(found))
    assert sum(sum(each["notes"].values()) for each in result["stages"]) == len(found.notes)


def test_hostile_text_stays_text_and_nothing_is_fetched() -> None:
    found = audit_of(row("a#1", case=f"demo/{HOSTILE}", helpful=(HOSTILE,)), row("b#1", found=True))
    result = audit_json(found)
    text = report_html(result, note_rows(found), title=HOSTILE)
    parsed = Cells(text)
    assert [attributes for tag, attributes in parsed.tags if tag == "script"] == [{"type": "application/json", "id": "audit"}]
    assert not {tag for tag, _ in parsed.tags} & {"img", "link", "iframe", "object", "a", "form", "base"}
    assert not [value for _, attributes in parsed.tags for name, value in attributes.items() if name in ("src", "href")]
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert any("<img src=" in cell and "⟨U+202E⟩" in cell for cell in parsed.cells)
    assert embedded(text) == json.loads(json.dumps(result))


def test_long_lists_of_misses_are_cut_and_say_so() -> None:
    rows = [row(f"s{at}#1") for at in range(LISTED + 5)]
    found = audit_of(*rows)
    text = report_html(audit_json(found), note_rows(found))
    assert "1,000 rows of 1,005" in text
    assert "s999#1" in text
    assert "s1000#1" not in text


def test_sentences_say_what_was_pooled_and_left_out() -> None:
    one = audit_json(audit_of(row(), not_stored=2, without_gold=1))
    assert "under the one extraction there is (rules)" in pool_sentences(one)[0]
    assert "2 pieces of gold the memories do not hold; 1 question without gold left out." in headline(one)
    two = audit_json(audit_of(row(), row(extraction="llm")))
    assert "at least one of 2 extractions" in pool_sentences(two)[0]
    none = audit_json(audit_of(row(method="bm25", is_graph=False)))
    assert none["pool"] is None
    assert pool_sentences(none) == ["No graph configuration is among the methods: there is no pool."]
    assert "no pool" in report_html(none)


def test_what_is_not_available_is_a_dash_and_infinity_has_a_name() -> None:
    result = audit_json(audit_of(row("a#1"), row("b#1", helpful=("x",), found=True)))
    control = result["control"][0]
    assert (control["odds_ratio"], control["repaired"]) == ("inf", None)
    assert share_text(None) == "-"
    (line,) = control_table(result, "gold notes", "all")
    assert line[2:4] == ["1/1 = 1.000 [0.207, 1.000]", "0/1 = 0.000 [0.000, 0.793]"]
    assert line[5].startswith("inf [")
    assert line[6:] == ["-", "-", "-"]
    json.dumps(result, allow_nan=False)
