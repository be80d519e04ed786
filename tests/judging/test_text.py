import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.judging.printable_text import lines_of, printable


def test_lines_end_where_python_and_editors_end_them() -> None:
    assert lines_of("a\nb\r\nc\rd\n\ne") == ["a", "b", "c", "d", "", "e"]
    assert lines_of("# a\f\v\x1c\x85\u2028\u2029b\n") == ["# a\f\v\x1c\x85\u2028\u2029b"]
    assert lines_of("") == []


@given(st.text(st.characters(), max_size=60), st.integers(0, 80))
def test_printable_text_is_short_and_fit_for_jsonb(text: str, limit: int) -> None:
    found = printable(text, limit)

    assert "\\u0000" not in json.dumps(found)
    found.encode()
    assert len(found) <= limit + len("… (60 more characters)") + 8
    assert printable(found, len(found)) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nψ → 0 👍", "plain\ttext\nψ → 0 👍"),
        ("a\x00b", "a\\x00b"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("50 %\r100 %\r\n", "50 %\n100 %\n"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_unprintable_characters_are_written_as_escapes(text: str, expected: str) -> None:
    assert printable(text, 100) == expected


def test_text_that_is_cut_says_how_much_is_missing() -> None:
    assert printable("abcdef", 4) == "abcd… (2 more characters)"
    assert printable("a\x00\x00b", 6) == "a\\x00… (2 more characters)"
    assert printable("\x00" * 1000, 400) == "\\x00" * 100 + "… (900 more characters)"
