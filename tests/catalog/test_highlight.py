"""Code as HTML."""

import html
import re
import time
from itertools import product

import pytest

from app.catalog.markdown import LEXERS, MAX_COLOURED, MAX_NUMBERED_LINES, highlight_code, highlight_lines

SOURCES = ("", "x = 1", "\n\nx = '<b>&'\n\n", "a\n'''b\nc'''\n", "\tx\n" * MAX_COLOURED)


@pytest.mark.parametrize("source", SOURCES, ids=["empty", "no end", "markup", "over lines", "very long"])
def test_every_line_of_a_source_is_one_of_the_page_and_says_the_same(source: str) -> None:
    lines = highlight_lines(source)

    said = [html.unescape(re.sub("<[^>]*>", "", line)) for line in lines]
    assert "\n".join(said) == "\n".join(source.splitlines())
    assert len(lines) == min(len(source.splitlines()), MAX_NUMBERED_LINES)


def test_a_very_long_source_is_shown_as_text_without_colours() -> None:
    short, long = highlight_lines("x = '<b>'\n"), highlight_lines("x = '<b>'\n" * MAX_COLOURED)

    assert "<span" in short[0]
    assert set(long[:-1]) == {"x = &#x27;&lt;b&gt;&#x27;"}


def test_python_code_is_coloured_by_its_tokens() -> None:
    (line,) = highlight_lines("@jit def f(self, x=0.5): return f'a {sum(x):>{width}} b' # end")

    for coloured in (
        '<span class="nd">@jit</span>',
        '<span class="k">def</span> <span class="nf">f</span>',
        '<span class="bp">self</span>',
        '<span class="mi">0.5</span>',
        '<span class="si">{</span><span class="nb">sum</span>(x):&gt;<span class="si">{</span>width',
        'width<span class="si">}}</span><span class="s"> b',
        '<span class="c1"># end</span>',
    ):
        assert coloured in line.replace("&#39;", "'")


def test_code_of_an_author_in_another_language_or_very_long_is_text() -> None:
    assert highlight_code("if (a < b) {", "c") == "if (a &lt; b) {"
    assert "<span" in highlight_code("x = 'b'", "Python")
    assert "<span" not in highlight_code("x = 'b'\n" * MAX_COLOURED, "python")


# The beginning of a text for a lexer, and the piece that is repeated after it.
BEGINNINGS = ("", "'", 'f"')
REPEATED = (
    *(
        " ",
        "\n \t",
        "\\N{",
        "{",
        "}",
        "(",
        "[",
        "\\",
        "'",
        '"',
        '"""',
        "f'{",
        "%(",
        "{a[",
        "@a.",
        "a.",
        "1_",
        "1e",
        "0x",
    ),
    *("case ", "match ", "from a ", "class ", "def ", "$", "#", "-", "+", "@@ ", '"a":', "e", "\n", "rb'"),
)
HOSTILE = (*product(BEGINNINGS, REPEATED), ("match", " "), ("case", "\t"), ("class", " "), ("{", '"a":'), ("[", "1,"))


def seconds_of(code: str, language: str) -> float:
    """Measure the processor time."""
    begun = time.process_time()
    highlight_code(code, language)
    return time.process_time() - begun


@pytest.mark.parametrize("language", sorted(set(LEXERS) - {"py", "python3"}))
def test_four_times_as_long_a_text_takes_about_four_times_as_long(language: str) -> None:
    """Quadratic time would be sixteen times as long. Another process may disturb a try or two."""
    length = 1000
    for beginning, repeated in HOSTILE:
        short = beginning + repeated * (length // len(repeated))
        long = beginning + repeated * (4 * length // len(repeated))

        tries = ((seconds_of(short, language), seconds_of(long, language)) for _ in range(5))
        assert any(of_long < 8 * of_short + 0.01 for of_short, of_long in tries), (beginning, repeated)


@pytest.mark.parametrize("line", ["\n", "x = 1\n"])
def test_lines_beyond_the_last_number_are_kept_in_one_piece(line: str) -> None:
    source = "# first\n" + line * 40_000

    lines = highlight_lines(source)

    assert len(lines) == MAX_NUMBERED_LINES
    assert sum(each.count("\n") for each in lines) + len(lines) == 40_001
