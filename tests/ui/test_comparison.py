"""Rankings side by side: moves, ties, gold, and the words for a score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory import Memory
from workbench.records import Extraction, Gold, Hit, Interaction, Note, Part, Question, Ranking, Turn, Why
from workbench.ui.comparison import (
    compare,
    matched_words,
    part_label,
    rank_text,
    score_texts,
    spoken,
    spoken_remark,
    tie_ranges,
    why_line,
)
from workbench.ui.rank_lines import rank_lines


def memory(*ids: str) -> Memory:
    return Memory(
        Note(Interaction(id, f"s-{id}", (Turn("user", f"words of {id}", ref=f"t-{id}"),), place, 1), Extraction())
        for place, id in enumerate(ids)
    )


def ranking(method: str, *blocks: str) -> Ranking:
    """One string a block of equal scores, one letter a note."""
    hits, rank = [], 0
    for number, block in enumerate(blocks, 1):
        for id in block:
            rank += 1
            hits.append(Hit(id, f"s-{id}", rank, 10.0 - number, number))
    return Ranking("words", method, tuple(hits), len(hits))


def test_moves_are_counted_against_the_first_column():
    first, second = compare({"a": (ranking("a", "x", "y", "z"), 1), "b": (ranking("b", "z", "x", "w"), 1)}, memory(*"wxyz"), None)
    assert [row.move for row in first.rows] == [0, 0, 0]
    assert [(row.hit.note_id, row.move) for row in second.rows] == [("z", 2), ("x", -1), ("w", None)]


def test_no_move_is_told_where_ties_leave_it_open():
    base, other = ranking("a", "x", "yzw"), ranking("b", "z", "xw", "y")
    _, second = compare({"a": (base, 1), "b": (other, 1)}, memory(*"wxyz"), None)
    # Before: x 1, the others 2-4. Now z 1 (one up at least), x and w 2-3, y 4, which was among 2-4 before.
    assert {row.hit.note_id: row.move for row in second.rows} == {"z": 1, "x": -1, "w": 0, "y": 0}


def test_words_that_the_filter_dropped_are_told_as_they_were_asked():
    assert spoken_remark("dropped as common: ani, museum", spoken("Any museums?")) == "dropped as common: any, museums"
    assert spoken_remark("no note holds a word of the query", {}) == "no note holds a word of the query"


@given(st.lists(st.floats(1e-5, 1e5), min_size=1))
def test_scores_of_a_column_have_one_format_without_exponents(scores):
    shown = score_texts(scores)
    assert len({len(text.partition(".")[2]) for text in shown}) == 1
    assert "e" not in "".join(shown)
    assert [float(text) for text in shown] == pytest.approx(scores, rel=0.05)


def test_a_tie_is_told_by_its_first_and_last_rank_also_beyond_what_is_shown():
    assert tie_ranges(ranking("a", "x", "yz", "w").hits) == {1: (1, 1), 2: (2, 3), 3: (4, 4)}
    (column,) = compare({"a": (ranking("a", "x", "yzw"), 1)}, memory(*"wxyz"), None, shown=2)
    assert column.rows[1].tie == (2, 4)
    assert column.rows[1].is_tied


@pytest.mark.parametrize(
    ("gold", "expected"),
    [(("z",), (2, 4)), (("y", "z"), (2, 3)), (("y", "z", "w"), (2, 2)), (("x", "z"), (1, 1)), (("v",), None)],
)
def test_first_gold_is_the_range_that_ties_leave_open(gold, expected):
    # The best order puts a gold note first in its block, the worst puts all other notes before it.
    question = Question("q", "?", gold=Gold(notes=gold))
    (column,) = compare({"a": (ranking("a", "x", "yzw"), 1)}, memory(*"vwxyz"), question)
    assert column.first_gold == expected


def test_hit_at_five_is_judged_over_sessions_where_gold_names_sessions():
    notes = memory(*"abcdefg")
    whole = ranking("m", *"abcdefg")
    late = Question("q", "?", gold=Gold(sessions=("s-f",)))
    (column,) = compare({"m": (whole, 1)}, notes, late)
    assert (column.is_hit, column.unit) == (False, "sessions")
    (column,) = compare({"m": (whole, 1)}, notes, Question("q", "?", gold=Gold(turns=("t-e",))))
    assert (column.is_hit, column.unit) == (True, "notes")


def test_a_question_without_gold_is_not_judged():
    (column,) = compare({"m": (ranking("m", "a"), 1)}, memory("a"), Question("q", "?"))
    assert (column.first_gold, column.is_hit) == (None, None)


def test_parts_are_named_in_the_words_of_the_query():
    said = spoken("Any museums?")
    assert part_label(Part("term", "ani", 1.0), "n", said) == "Any".casefold()
    assert part_label(Part("overlap", "museum", 1.0), "n", said) == "overlap museums"
    assert part_label(Part("seed", "file:n", 1.0), "n", said) == "own text"
    assert part_label(Part("seed", "tag:arts/kiln", 1.0), "n", said) == "tag arts/kiln"


def test_why_in_one_line_names_the_largest_first_and_counts_the_rest():
    why = Why(tuple(Part("term", f"w{number}", float(number)) for number in range(1, 7)))
    assert why_line(why, "n", {}) == "w6, w5, w4, w3 +2"
    assert why_line(Why(), "n", {}) == "no parts given"


def test_a_rank_is_told_with_its_tie_and_of_how_many():
    assert rank_text((3, 3), 12) == "3 of 12"
    assert rank_text((3, 5), 12) == "3-5 (tied) of 12"
    assert rank_text(None, 12) == "not among 12"


def test_common_words_are_not_underlined_unless_all_are_common():
    notes = Memory(
        Note(Interaction(f"n{place}", "s", (Turn("user", "the kiln" if place else "the rare kiln"),), place, 1))
        for place in range(8)
    )
    assert matched_words("the rare kiln", notes) == {"rare"}
    assert matched_words("the kiln", notes) == {"the", "kiln"}


def test_lines_join_equal_notes_of_neighbouring_columns_only():
    pairs = {"a": (ranking("a", "x", "y"), 1), "b": (ranking("b", "y"), 1), "c": (ranking("c", "x", "y"), 1)}
    question = Question("q", "?", gold=Gold(notes=("y",)))
    figure = rank_lines(compare(pairs, memory(*"xy"), question), "light")
    by_note = {trace.customdata[0]: trace for trace in figure.data}
    assert by_note["x"].y == (1, None, 1)
    assert by_note["y"].y == (2, 1, 2)
    assert by_note["y"].marker.symbol == "star"
    assert not by_note["x"].connectgaps


def test_beside_a_note_the_names_of_methods_stand_level_and_in_two_rows():
    columns = compare({"a": (ranking("a", "x"), 1), "b": (ranking("b", "x"), 1)}, memory("x"), None)
    wide, narrow = rank_lines(columns, "light"), rank_lines(columns, "light", "x", is_narrow=True)
    assert wide.layout.xaxis.tickangle == narrow.layout.xaxis.tickangle == 0
    assert list(narrow.layout.xaxis.ticktext) == ["<b>a</b><br> ", " <br><b>b</b>"]
    assert narrow.layout.margin.r < wide.layout.margin.r


def test_titles_in_the_chart_are_text():
    notes = Memory([Note(Interaction("x", "s", (Turn("user", "<b>$x$</b>"),), 0, 1))])
    figure = rank_lines(compare({"a": (ranking("a", "x"), 1)}, notes, None), "dark")
    assert figure.layout.annotations[0].text == "&lt;b&gt;&#36;x&#36;&lt;/b&gt;"
    assert "<b>" not in figure.data[0].text[0]
