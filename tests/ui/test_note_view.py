"""A note as text: escaping, underlining, evidence, and bars that sum to the score."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from workbench.records import Extraction, Gold, Hit, Interaction, Note, Part, Question, Turn, Why
from workbench.ui.comparison import Row
from workbench.ui.note_view import is_evidence, marked, note_html, question_html, short_title
from workbench.ui.why_view import PARTS, why_html
from workbench.words import visible

TAG = re.compile(r"</?u>")


def note(*turns: Turn, summary: str = "") -> Note:
    return Note(Interaction("s#1", "s", turns, 0, 1, time_text="Monday"), Extraction(summary=summary))


@given(st.text(), st.sets(st.sampled_from(["script", "img", "b", "kiln", "x"])))
def test_marked_text_holds_no_markup_but_underlines(text, words):
    left = TAG.sub("", marked(text, words))
    assert "<" not in left
    assert ">" not in left
    assert left.count("&") == text.count("&") + sum(text.count(sign) for sign in "<>\"'")


def test_words_are_underlined_by_their_index_word():
    assert marked("Kilns, a KILN; skill", {"kiln"}) == "<u>Kilns</u>, a <u>KILN</u>; skill"


def test_controls_are_named_and_texts_keep_their_direction_to_themselves():
    spoof = "pay to \u202e0421 account\x07"
    shown = note_html(note(Turn("user", spoof, speaker="A\u2067")), question=None)
    assert "pay to ⟨U+202E⟩0421 account⟨U+0007⟩" in shown
    assert "A⟨U+2067⟩" in shown
    assert "unicode-bidi:isolate" in shown
    asked = question_html(Question("q", spoof, spoof))
    assert asked.count("⟨U+202E⟩") == 2
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x07]", shown + asked + short_title(note(Turn("user", spoof))))
    assert visible("line\r\nnext\tשלום") == "line\nnext\tשלום"


def test_evidence_is_a_named_turn_or_one_that_holds_an_expected_text():
    question = Question("q", "?", gold=Gold(turns=("t1",)))
    assert is_evidence(Turn("user", "x", ref="t1"), question)
    assert not is_evidence(Turn("user", "x", ref=""), Question("q", "?", gold=Gold(turns=("",))))
    expected = Question("q", "?", gold=Gold(substrings=("40 Seconds",)))
    assert is_evidence(Turn("assistant", "hold for 40 seconds"), expected)
    assert not is_evidence(Turn("assistant", "hold on"), expected)
    assert not is_evidence(Turn("assistant", "hold on"), None)


def test_evidence_is_marked_by_word_and_only_in_gold_notes():
    question = Question("q", "?", gold=Gold(turns=("t1",)))
    held = note(Turn("user", "x", ref="t1"), Turn("assistant", "y", ref="t2"))
    assert note_html(held, question=question, is_gold=True).count("★ evidence") == 1
    assert "★" not in note_html(held, question=question)


def test_captions_and_speakers_are_shown():
    shown = note_html(note(Turn("user", "look", speaker="Ann <3", caption="a cat")))
    assert "[image: a cat]" in shown
    assert "Ann &lt;3" in shown


def test_title_is_the_summary_or_the_start_of_what_was_said_in_one_line():
    assert short_title(note(Turn("user", "hello\n  there"))) == "hello there"
    assert short_title(note(Turn("user", "hello"), summary="A greeting.")) == "A greeting."
    assert len(short_title(note(Turn("user", "word " * 100)))) <= 90
    assert short_title(note(Turn("assistant", "only me"))) == "only me"


def test_a_question_tells_answer_expected_texts_and_remarks():
    shown = question_html(Question("q", "When?", None, "t", Gold(substrings=("<i>",)), remarks=("a remark",)))
    assert "expected texts" in shown
    assert "&lt;i&gt;" in shown
    assert "a remark" in shown
    assert "the benchmark gives none" in question_html(Question("q", "When?"))


def test_bars_and_the_rest_sum_to_the_score():
    parts = tuple(Part("term", f"w{number}", number / 8) for number in range(1, PARTS + 4))
    why = Why(parts, ("tag:<a>", "file:s#1"), ("dropped as common: <b>",))
    row = Row(Hit("s#1", "s", 1, why.total, 1, lambda: why), note(), (1, 1), None, False)
    shown = why_html(row, "bm25", "w1")
    values = [float(value) for value in re.findall(r"tabular-nums'>(-?[\d.]+)<", shown)]
    assert len(values) == PARTS + 2
    assert sum(values[:-1]) == values[-1] == why.total
    assert "3 more" in shown
    assert "tag:&lt;a&gt; → file:s#1" in shown
    assert "dropped as common: &lt;b&gt;" in shown


def test_a_negative_part_is_hollow():
    why = Why((Part("term", "common", -0.5), Part("term", "rare", 2.0)))
    row = Row(Hit("s#1", "s", 1, 1.5, 1, lambda: why), note(), (1, 1), None, False)
    assert why_html(row, "bm25", "").count("border:1.5px") == 1
