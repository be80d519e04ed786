"""Code as HTML."""

import html
import re

import pytest

from app.web.highlight import MAX_COLOURED, highlight_lines

SOURCES = ("", "x = 1", "\n\nx = '<b>&'\n\n", "a\n'''b\nc'''\n", "\tx\n" * MAX_COLOURED)


@pytest.mark.parametrize("source", SOURCES, ids=["empty", "no end", "markup", "over lines", "very long"])
def test_every_line_of_a_source_is_one_of_the_page_and_says_the_same(source: str) -> None:
    lines = highlight_lines(source)

    assert [html.unescape(re.sub("<[^>]*>", "", line)) for line in lines] == source.splitlines()


def test_a_very_long_source_is_shown_as_text_without_colours() -> None:
    short, long = highlight_lines("x = '<b>'\n"), highlight_lines("x = '<b>'\n" * MAX_COLOURED)

    assert "<span" in short[0]
    assert set(long) == {"x = &#x27;&lt;b&gt;&#x27;"}
