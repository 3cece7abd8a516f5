"""What of a message the offline extractor reads, and what it says of the rest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.extract.readable import readable

PROSE = "I moved the old piano into the hall and it sounds better there. "


def test_prose_is_kept_without_a_remark() -> None:
    read = readable(PROSE, 2000)
    assert (read.text, read.is_english, read.remarks) == (PROSE.strip(), True, ())


def test_fenced_code_is_left_out_and_remarked() -> None:
    read = readable("Why does this fail?\n```python\nfor i in x:\n    print(i)\n    total += i * 2\n```", 2000)
    assert read.text == "Why does this fail?"
    assert read.remarks == ("code was left out",)


def test_loose_code_lines_are_left_out_and_remarked() -> None:
    read = readable("Please explain this.\nimport os\ndef run(path):\n    return os.stat(path)\nconst a = 3;\n", 2000)
    assert read.text == "Please explain this."
    assert read.remarks == ("code was left out",)


def test_a_list_is_no_code() -> None:
    text = "My plans:\n- bake bread\n- call mum (she is home)\n- water the roses"
    assert readable(text, 2000).text == "My plans:\nbake bread\ncall mum (she is home)\nwater the roses"


def test_encoded_data_is_left_out_and_remarked() -> None:
    read = readable(PROSE + "QUJD" * 200, 2000)
    assert read.text == PROSE.strip()
    assert read.remarks == ("encoded data or addresses were left out",)


def test_a_long_text_is_cut_at_a_word_and_remarked() -> None:
    read = readable(PROSE * 1200, 2000)
    assert len(read.text) <= 2000
    assert read.text.split() == (PROSE * 1200).split()[: len(read.text.split())]
    assert read.remarks == ("only the first 2,000 characters were read",)


def test_another_language_gives_no_text_but_a_remark() -> None:
    read = readable("Gestern habe ich mit der Katze gespielt und das war nicht schlecht.", 2000)
    assert (read.text, read.is_english, read.remarks) == ("", False, ("text is not in English",))


def test_another_script_keeps_its_latin_words() -> None:
    read = readable("昨天我用Python写了一个程序，非常开心", 2000)
    assert (read.text, read.is_english, read.remarks) == ("Python", False, ("text is not in Latin letters",))


def test_a_few_foreign_words_do_not_make_a_text_foreign() -> None:
    assert readable("We ate crème brûlée at Le Petit Four and it was the best in town.", 2000).is_english


@given(st.text(max_size=400), st.integers(10, 100))
def test_any_text_is_read_within_the_limit(text: str, limit: int) -> None:
    assert len(readable(text, limit).text) <= limit
