"""Run files: every format, recognised by content; every row kept, mended or set aside with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.evaluate.run_files.base import MAX_LINE_CHARS, Broken, format_of, formats
from workbench.evaluate.run_files.collect import MAX_ARMS, Collected, collect
from workbench.evaluate.run_files.names import History, Questions

QUESTIONS = Questions([("b/c 1", "q1"), ("b/c 1", "q2"), ("b/c2", "q1"), ("b/c2", "q3")])
HISTORIES = {
    "b/c 1": History.of({"s 1#1": "s 1", "s 1#2": "s 1", "s2#1": "s2"}, ["empty"]),
    "b/c2": History.of({"t1#1": "t1", "p": "p", "a b": "x", "a_b": "x"}),
}
Q1 = ("b/c 1", "q1")


def put(folder: Path, text: str | bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


@pytest.fixture
def read(tmp_path: Path):
    """``read(text)`` gives the rankings of a file with that text."""

    def call(text: str | bytes, holds="rankings", **options) -> Collected:
        return collect(put(tmp_path, text), holds, QUESTIONS, HISTORIES, arm="mine", **options)

    return call


def ids(found: Collected, key=("b/c 1", "q2"), arm: str = "mine") -> list[str]:
    return [placed.id for placed in found.rankings[arm][key]]


def reasons(found: Collected) -> list[tuple[str, str]]:
    return [(finding.position, finding.level) for finding in found.accounts.findings]


# --- the formats ------------------------------------------------------------------------------------------------------------

SAME = {
    "trec": "q2 Q0 s2#1 1 9.5 mine\nq2 Q0 s_1#2 2 3 mine\n",
    "csv": "query,doc,rank,score\nq2,s2#1,1,9.5\nq2,s 1#2,2,3\n",
    "semicolons": "Query;Note-ID;Score\nq2;s2#1;9.5\nq2;s_1#2;3\n",
    "tabs": "qid\tdocno\trank\nq2\ts2#1\t1\nq2\ts 1#2\t2.0\n",
    "case and question": 'method|case|question|id|score\nmine|b/c 1|q2|s2#1|9.5\nmine|b/c 1|q2|"s 1#2"|3\n',
    "json lists": '{"q2": ["s2#1", "s 1#2"]}',
    "json scores": '{"b/c_1/q2": {"s 1#2": 3, "s2#1": 9.5}}',
    "json of methods": '{"mine": {"q2": {"s2#1": 9.5, "s 1#2": 3}}}',
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_every_format_gives_the_same_ranking(read, text: str) -> None:
    found = read(text)
    assert ids(found) == ["s2#1", "s 1#2"]
    assert (found.accounts.rows, found.accounts.kept, found.unit) == (2, 2, "note")


@pytest.mark.parametrize(
    "dressed",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\n\n" + text.replace("\n", "\n\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.rstrip("\n").encode(),
    ],
    ids=["byte-order mark", "CRLF", "blank lines", "UTF-16", "no last line end"],
)
@pytest.mark.parametrize("form", ["trec", "csv", "tabs", "json lists"])
def test_marks_line_ends_and_blank_lines_change_nothing(read, form: str, dressed) -> None:
    assert ids(read(dressed(SAME[form]))) == ["s2#1", "s 1#2"]


def test_comments_are_no_rows(read) -> None:
    assert read("# made by a system\n" + SAME["trec"]).accounts.rows == 2
    assert read("# made by a system\n" + SAME["csv"]).accounts.rows == 2


def test_a_row_that_begins_like_a_comment_is_a_row(read) -> None:
    found = read(SAME["trec"] + "#q Q0 s2#1 1 2.0 mine\n")
    assert found.accounts.kinds == {"unknown question": 1}


def test_qrels_hold_grades(read) -> None:
    found = read("q2 0 s2#1 2\nq2 0 s_1#1 0\nq2 0 s_1#2 yes\n", "judgements")
    assert {placed.id: placed.score for placed in found.rankings["mine"]["b/c 1", "q2"]} == {"s2#1": 2.0, "s 1#1": 0.0}
    assert reasons(found) == [("line 3", "quarantined")]


def test_judgements_are_not_taken_for_rankings_nor_the_other_way_round(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds judgements .qrels., rankings were expected"):
        format_of(put(tmp_path, "q1 0 a 1\n"), "rankings")
    with pytest.raises(BadInput, match=r"holds rankings .trec., judgements were expected"):
        format_of(put(tmp_path, SAME["trec"]), "judgements")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no row"),
        ("a tale of two cities\n", "no known format; its first row is 'a tale of two cities'"),
        ("query,doc\nq1,a\n", "no known format"),
        ("q1 Q0 d 1 high mine\n", "no known format"),
        ('["q1"]', "no known format"),
    ],
)
def test_another_file_is_refused_with_what_is_known(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        format_of(put(tmp_path, text), "rankings")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        format_of(tmp_path / "nothing.trec", "rankings")


def test_every_format_says_what_it_is() -> None:
    assert {"trec", "qrels", "csv", "json"} <= set(formats)
    assert all((entry.__doc__ or "").strip() for _, entry in formats.items())


def test_a_damaged_json_file_is_refused_with_how_far_it_went(read) -> None:
    with pytest.raises(BadInput, match=r"cut off or damaged .* after 1 whole members"):
        read('{"q2": ["s2#1"], "q3": ["t1#1"')


# --- rows that are mended or set aside --------------------------------------------------------------------------------------


def test_rows_without_a_finite_score_are_set_aside_with_their_line(read) -> None:
    scores = ["nan", "inf", "-Infinity", "1_000", "high", "1e999"]
    text = "q2 Q0 s2#1 1 9.5 mine\n" + "".join(f"q2 Q0 s_1#{at % 2 + 1} 2 {score} mine\n" for at, score in enumerate(scores))
    found = read(text)
    assert ids(found) == ["s2#1"]
    assert reasons(found) == [(f"line {at}", "quarantined") for at in range(2, 8)]
    assert found.accounts.kinds == {"no finite number": 6}


def test_json_rows_are_named_by_their_place(read) -> None:
    found = read('{"q2": {"s2#1": NaN, "s 1#1": true, "s 1#2": 1}, "q3": ["t1#1", null, 7], "q1x": 3}')
    assert ids(found) == ["s 1#2"]
    assert [finding.position for finding in found.accounts.findings] == [
        '"q2"."s2#1"',
        '"q2"."s 1#1"',
        '"q3"[1]',
        '"q3"[2]',
        '"q1x"',
    ]
    assert (found.accounts.rows, found.accounts.kept, found.accounts.quarantined) == (7, 2, 5)


def test_a_key_that_comes_twice_in_json_is_not_lost(read) -> None:
    found = read('{"q2": {"s2#1": 1, "s2#1": 5}, "q2": {"s 1#1": 3}}')
    assert ids(found) == ["s2#1", "s 1#1"]
    assert found.accounts.kinds == {"repeated id": 1}


def test_a_rank_that_is_no_number_is_mended_where_there_is_a_score(read) -> None:
    found = read("q2 Q0 s2#1 first 9.5 mine\nq2 Q0 s_1#1 2 3 mine\n")
    assert ids(found) == ["s2#1", "s 1#1"]
    assert reasons(found) == [("line 1", "repaired")]
    assert (found.accounts.kept, found.accounts.repaired) == (1, 1)


def test_a_rank_that_is_no_number_is_set_aside_where_there_is_no_score(read) -> None:
    found = read("query,doc,rank\nq2,s2#1,first\nq2,s 1#1,2\n")
    assert ids(found) == ["s 1#1"]
    assert reasons(found) == [("line 2", "quarantined")]


def test_the_better_of_two_rows_of_one_id_is_kept(read) -> None:
    found = read("q2 Q0 s2#1 1 2.0 mine\nq2 Q0 s_1#1 2 3.0 mine\nq2 Q0 s2#1 3 4.0 mine\nq2 Q0 s2#1 4 1.0 mine\n")
    assert ids(found) == ["s2#1", "s 1#1"]
    assert found.accounts.kinds == {"repeated id": 2}
    assert [finding.position for finding in found.accounts.findings if finding.level == "quarantined"] == ["line 1", "line 4"]


def test_of_repeated_ids_without_scores_the_first_place_is_kept(read) -> None:
    assert ids(read('{"q2": ["s2#1", "s 1#1", "s2#1"]}')) == ["s2#1", "s 1#1"]


def test_unknown_questions_and_ids_are_kept_out_and_told(read) -> None:
    found = read("zz Q0 s2#1 1 2 mine\nq2 Q0 elsewhere 1 2 mine\nq2 Q0 t1#1 1 2 mine\nq2 Q0 s2#1 2 1 mine\nq1 Q0 s2#1 2 1 mine\n")
    assert ids(found) == ["s2#1"]
    assert found.accounts.kinds == {"unknown question": 2, "unknown id": 2}
    assert "is the id of 2 questions, such as 'b/c_1/q1', 'b/c2/q1': name the case too" in found.accounts.findings[-1].reason


def test_ids_that_files_can_not_tell_apart_are_unknown(read) -> None:
    assert read("q3 Q0 a_b 1 2 mine\nq3 Q0 t1#1 1 2 mine\n").accounts.kinds == {"unknown id": 1}


def test_lines_of_another_shape_are_set_aside(read) -> None:
    long = "x" * (MAX_LINE_CHARS + 1)
    found = read(SAME["trec"] + f"q2 Q0 s2#1 1 2\n{long}\nq2 Q0 s_1#1 3 1 mine\n")
    assert reasons(found) == [("line 3", "quarantined"), ("line 4", "quarantined")]
    assert ids(found) == ["s2#1", "s 1#2", "s 1#1"]
    found = read(SAME["csv"] + 'q2,s 1#1\nq2,"s 1#1,3,4\n,s 1#1,3,4\n')
    assert found.accounts.kinds == {"wrong columns": 1, "open quote": 1, "empty field": 1}


def test_questions_that_take_no_part_are_told(read) -> None:
    found = read("q2 Q0 s2#1 1 2 mine\nb/c_1/q1 Q0 s2#1 1 2 mine\n", judged={("b/c 1", "q2")})
    assert found.accounts.kinds == {"no gold": 1}


# --- order ------------------------------------------------------------------------------------------------------------------


def test_scores_decide_against_ranks_and_it_is_told(read) -> None:
    found = read("q2 Q0 s2#1 1 1.0 mine\nq2 Q0 s_1#1 2 5.0 mine\nq2 Q0 s_1#2 3 0.5 mine\n")
    assert ids(found) == ["s 1#1", "s2#1", "s 1#2"]
    assert (found.accounts.kept, found.accounts.repaired) == (1, 2)
    assert (
        "the ranks of 2 rows of 'q2' are not in the order of their scores; the scores decide" in found.accounts.findings[0].reason
    )


def test_equal_scores_keep_the_order_of_the_file(read) -> None:
    found = read("q2 Q0 s_1#2 1 1.0 mine\nq2 Q0 s2#1 2 1.0 mine\nq2 Q0 s_1#1 3 1.0000000000000002 mine\n")
    assert ids(found) == ["s 1#2", "s2#1", "s 1#1"]
    assert {placed.block for placed in found.rankings["mine"]["b/c 1", "q2"]} == {1}


def test_tags_are_systems(read) -> None:
    found = read("q2 Q0 s2#1 1 1 first\nq2 Q0 s_1#1 1 1 second\n")
    assert (ids(found, arm="first"), ids(found, arm="second")) == (["s2#1"], ["s 1#1"])


def test_names_of_systems_can_be_stored_and_printed(read) -> None:
    found = read(b"q2 Q0 s2#1 1 1 a\x1b[31m\xff\n")
    assert list(found.rankings) == ["a\ufffd[31m\ufffd"]


def test_a_tag_that_changes_with_every_row_is_refused(read) -> None:
    with pytest.raises(BadInput, match=f"more than {MAX_ARMS} systems"):
        read("".join(f"q2 Q0 s2#1 1 1 tag{at}\n" for at in range(MAX_ARMS + 1)))


# --- notes or sessions ------------------------------------------------------------------------------------------------------


def test_sessions_are_recognised_also_empty_ones(read) -> None:
    found = read("q2 Q0 s_1 1 3 mine\nq2 Q0 empty 2 2 mine\nq2 Q0 s2 3 1 mine\n")
    assert (found.unit, ids(found)) == ("session", ["s 1", "empty", "s2"])


def test_a_file_that_mixes_notes_and_sessions_is_refused_with_counts(read) -> None:
    text = "q2 Q0 s_1#1 1 3 mine\nq2 Q0 s_1#2 2 2 mine\nq2 Q0 s2 3 1 mine\n"
    for unit in ("auto", "note", "session"):
        with pytest.raises(BadInput, match=r"2 rows name notes \(first: line 1\) and 1 name sessions \(first: line 3\)"):
            read(text, unit=unit)


def test_a_unit_that_the_ids_are_not_of_is_refused(read) -> None:
    with pytest.raises(BadInput, match="declared to rank sessions, but 2 of its rows name notes"):
        read(SAME["trec"], unit="session")


def test_ids_that_are_both_are_notes_unless_declared(read) -> None:
    text = "q3 Q0 p 1 3 mine\n"
    assert read(text).unit == "note"
    assert read(text, unit="session").unit == "session"


def test_a_file_of_nothing_known_is_refused_with_the_first_reason(read) -> None:
    with pytest.raises(BadInput, match="the first: line 1, no question 'zz'"):
        read("zz Q0 s2#1 1 2 mine\n")


# --- laws -------------------------------------------------------------------------------------------------------------------

rows = st.lists(
    st.tuples(
        st.sampled_from(["q2", "b/c_1/q1", "q1", "q3", "zz", "#c"]),
        st.sampled_from(["s_1#1", "s_1#2", "s2#1", "t1#1", "gone"]),
        st.sampled_from(["1", "2", "3", "x", "2.5"]),
        st.sampled_from(["1", "2", "-0.5", "nan", "inf", "1e999", "x"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["", " surplus", "\n\n", "\r"]),
    ),
    max_size=20,
)


@given(rows)
def test_every_row_is_kept_mended_or_set_aside(tmp_path_factory: pytest.TempPathFactory, rows) -> None:
    lines = ["q2 Q0 s2#1 1 7 a\n", *(f"{q} Q0 {doc} {rank} {score} {tag}{tail}\n" for q, doc, rank, score, tag, tail in rows)]
    path = put(tmp_path_factory.mktemp("rows"), "".join(lines))
    found = collect(path, "rankings", QUESTIONS, HISTORIES)
    accounts = found.accounts
    assert accounts.kept + accounts.repaired + accounts.quarantined == accounts.rows
    read = list(formats["trec"].read(path))
    assert accounts.rows == len(read)
    kept = [placed for arm in found.rankings.values() for ranking in arm.values() for placed in ranking]
    assert accounts.kept + accounts.repaired == len(kept)
    assert accounts.quarantined >= sum(isinstance(row, Broken) for row in read)
    assert sum(finding.level == "quarantined" for finding in accounts.findings) == accounts.quarantined
    for arm in found.rankings.values():
        for ranking in arm.values():
            keys = [placed.key for placed in ranking]
            assert keys == sorted(keys, reverse=True)
            assert len({placed.id for placed in ranking}) == len(ranking)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = put(tmp_path_factory.mktemp("bytes"), b"q2 Q0 s2#1 1 7 a\n" + data)
    accounts = collect(path, "rankings", QUESTIONS, HISTORIES).accounts
    assert accounts.kept + accounts.repaired + accounts.quarantined == accounts.rows
