"""Statements become HTML that is safe to place in a page."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from app.catalog.markdown import (
    MAX_COLOURED,
    MAX_POST_RENDERED,
    MAX_RENDERED,
    render_inline,
    render_markdown,
    render_post,
)
from app.catalog.maths import is_readable, make_parser, render_maths
from app.judging.printable_text import spelled

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- --><b onclick=alert(1)>b</b>",
    "[link](javascript:alert(1))",
    "[link](data:text/html,<script>alert(1)</script>)",
    "[link](//example.org)",
    "[link](///example.org)",
    "![image](https://example.org/pixel.png)",
    '[link](https://example.org "<b onload=alert(1)>")',
    '```"><script>alert(1)</script>\nx\n```',
    "```html\n<script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    r"$\text{<img src=x onerror=alert(1)>}$",
    r"$\text{&lt;script&gt;alert(1)&lt;/script&gt;}$",
    r"$\text{&#60;script&#62;alert(1)}$",
    r"$\href{javascript:alert(1)}{x}$",
    r"$\style{position:fixed;inset:0}{x}$",
    r"$\class{skip}{x}$",
    r'$\color{red" onmouseover="alert(1)}{x}$',
    r"$\mathchoice{<b>}{<b>}{<b>}{<b>}$",
    r"$<script>alert(1)</script>$",
    "$$\n</math><script>alert(1)</script>\n$$",
    "| a |\n|---|\n| <script>alert(1)</script> |",
]
ALLOWED_ATTRIBUTES = re.compile(
    r"href|rel|title|class|tabindex|xmlns|display|mathvariant|stretchy|fence|form|accent|accentunder|lspace|rspace|start|style"
)


class Elements(HTMLParser):
    """Every element of a page, with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_brings_no_script_no_handler_and_no_foreign_address(text: str) -> None:
    elements = Elements(render_markdown(text)).found

    assert not {tag for tag, _ in elements} & {"script", "img", "b", "iframe", "style"}
    for _tag, attributes in elements:
        assert not [name for name in attributes if not ALLOWED_ATTRIBUTES.fullmatch(name)]
        assert (attributes.get("href") or "https://").startswith("https://")
        assert "style" not in attributes


def test_the_condition_of_a_limit_stands_below_it() -> None:
    for name in ("lim", "max", "argmin"):
        html = render_markdown(f"$$\\{name}_{{n}} a_n$$")

        assert re.search(r"<munder><mrow><mspace /><mi>(lim|max|arg\smin)</mi></mrow><mi>n</mi></munder>", html), name


def test_punctuation_after_a_formula_stays_on_its_line() -> None:
    html = render_markdown("With $x$, the $k$-th ($y$). But $z$<b> and $w$ *more*.")

    assert re.findall(r"</math>(.*?)</span>", html) == [",", "-th", ").", "&lt;b&gt;", ""]


def test_a_long_formula_in_a_sentence_can_be_scrolled() -> None:
    long, short = (render_markdown(f"It is ${formula}$.") for formula in ("a + " * 12 + "b", "a + b"))

    assert '<span class="math inline long" tabindex="0">' in long
    assert '<span class="math inline">' in short


@pytest.mark.parametrize(
    "formula",
    [
        r"\nabla_\theta \mathcal{L}",
        r"\mathbb{R}^{N \times D}",
        r"\left| a - b \right| \le \text{atol} + \text{rtol} \cdot |b|",
        r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}",
        r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"\operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
        r"\lVert g \rVert_2, \hat{y}, \bar{x}, \tilde{v}, \dots, \approx, \top",
    ],
)
def test_formulas_that_statements_use_are_readable(formula: str) -> None:
    html = render_markdown(f"$$\n{formula}\n$$")

    assert 'display="block"' in html
    assert "maths-source" not in html


def test_the_invisible_operator_of_a_function_is_no_escape_on_a_page() -> None:
    assert spelled(render_post(r"$\cos x$")) == render_post(r"$\cos x$")


def test_an_underscore_in_a_formulas_text_is_no_backslash() -> None:
    html = render_markdown(r"$$\texttt{init\_lr} \cdot \text{the\_rate}$$")

    assert "init_lr" in html
    assert "the_rate" in html
    assert "\\" not in html


def test_aligned_equations_become_a_table() -> None:
    html = render_markdown("$$\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n$$")

    assert html.count("<mtr>") == 2
    assert "&amp;" not in html


@pytest.mark.parametrize(
    "formula",
    [
        r"\frac{",
        r"\nosuchcommand x",
        "{" * 5_000 + "}" * 5_000,
        "x" * 3_000,
        r"\newcommand{\a}{xx}\a",
        r"\def\a{\a\a}\a",
    ],
)
def test_a_formula_that_can_not_be_read_is_shown_as_it_was_written(formula: str) -> None:
    html = render_markdown(f"before ${formula}$ after")

    assert '<code class="maths-source">' + formula in html
    assert html.startswith("<p>before ")
    assert html.endswith(" after</p>\n")


def test_a_formula_can_not_push_the_page_apart() -> None:
    for formula in (r"a \hspace{100000em} b", r"\rule{1000em}{1000em}", r"a \kern 99em b"):
        assert "<math" not in render_markdown(f"${formula}$"), formula


@pytest.mark.parametrize(
    "text",
    [
        "$g_n$ is 0",
        "$g_n$ is a \\",
        "- $g_n$ is 0",
        "# $g_n$ is 0",
        "|a|b|\n|-|-|\n|$g_n$ is 0|c|",
        "> $g_n$ is 0",
        "$$g_n$$ is 0",
        "$g_n$ $h_0$",
    ],
)
def test_maths_that_begins_a_text_is_maths_however_the_text_ends(text: str) -> None:
    html = render_markdown(text)

    assert html.count("<math") == text.replace("$$", "$").count("$") // 2
    assert "$" not in html


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("A run costs $5 and $n$ runs cost $5n$.", ["n", "5n"]),
        ("It costs $2.50 to $10; 3 hours cost $7.50 (or €7). Give $50 to $100.", []),
        ("It costs $12. The variable `$HOME` and `$A$1` and ~$3 stay.", []),
        ("Use `a$b` and `c$d`, for $x$.", ["x"]),
        ("$a `b$ c` d$", []),
        ("5$-th, US$5, $x$-axis, ($y$), $5\\%$ and $\\{1,\\dots,n\\}$", ["x", "y", "5\\%", "\\{1,\\dots,n\\}"]),
        ("$ a $ and $a $ and $$ a $$", [" a "]),
        ("$a_i*b_i*c_i$ and $x_1$, _so_", ["a_i*b_i*c_i", "x_1"]),
        *((text, []) for text in ("$5 and $6", "- $5 and $6", "5$ and 6$ is 7", "x = 5$ or $6")),
        *((text, []) for text in (r"\$g$", r"\$g$ is a \\", r"a \$g$", r"\$g_n\$ is 0")),
    ],
)
def test_dollars_are_prices_or_formulas_and_code_comes_first(text: str, formulas: list[str]) -> None:
    (paragraph,) = (token for token in make_parser(text).parse(text) if token.type == "inline")

    assert [token.content for token in paragraph.children or () if token.type.startswith("math")] == formulas
    assert formulas or "<math" not in render_markdown(text)


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\bigl\{ x \bigr\}", '<mo minsize="1.2em" maxsize="1.2em">{</mo>'),
        (r"\bigl\| x \bigr\|_2", 'maxsize="1.2em">‖</mo>'),
        (
            r"\operatorname*{arg\,max}_{\theta} f",
            "<munder><mrow><mspace /><mi>arg\u2009max</mi></mrow><mi>θ</mi></munder>",
        ),
        (r"\begin{bmatrix} 1 \end{bmatrix}^{-1}", "</mtable><mo>]</mo></mrow><mrow>"),
        (r"\boldsymbol{\theta} \mathbb{1} \mathds{1}", "<mi>𝜽</mi><mi>𝟙</mi><mi>𝟙</mi>"),
        (r"x \sim p", '<mi>x</mi><mo form="infix">∼</mo><mi>p</mi>'),
        (r"\begin{gather} a \\ b \end{gather}", "<mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr>"),
        (r"\begin{cases} 1 & x \end{cases}", '<mtd class="to-left no-right wide-left">'),
        (r"\begin{array}{c|c} 1 & 2 \end{array}", '<mtd class="solid-right"><mn>1</mn></mtd>'),
        (r"\overline{x + y}", '<mrow class="line-above"><mrow><mi>x</mi><mo>+</mo><mi>y</mi></mrow></mrow>'),
        (r"\log x", '<mi>log</mi></mrow><mo lspace="0.1667em">&#8289;</mo><mi>x</mi>'),
        (r"(-x)", '<mo lspace="0" rspace="0">−</mo>'),
        (r"= -a", '<mo lspace="0" rspace="0">−</mo>'),
        (r"[0, -\infty)", '<mo lspace="0" rspace="0">−</mo><mi>∞</mi>'),
        (r"a - b", "<mi>a</mi><mo>−</mo><mi>b</mi>"),
    ],
)
def test_a_formula_is_set_as_tex_sets_it(formula: str, shown: str) -> None:
    assert shown in render_maths(formula, block=True)
    assert is_readable(formula)


@pytest.mark.parametrize(
    "formula",
    [
        r"\fbox{E}",
        r"\cancel{x}",
        r"\color{red}{x}",
        r"\texttt{code_name}",
        r"a \\ b",
        r"a & b",
        r"50% x",
        r"\begin{array}{c}\hline 1 \\ \hline\end{array}",
        r"\text{if $x$}",
        r"x^2^3",
    ],
)
def test_a_formula_that_would_be_shown_wrongly_is_not_readable(formula: str) -> None:
    assert not is_readable(formula)


@pytest.mark.parametrize(
    "brackets",
    [
        *("(", "[", r"\left(", r"\langle ", r"\sin\lfloor ", r"\bigl|", "⟨", r"((\bigr)", "({)}", "(r", "x^)("),
        *(r"\hat)(", r"\hat\label{a})(", r"\frac1)(", r"\frac{1})⎰", r"\sqrt[3])(", r"\sqrt[)]x(", r"\left.)\right.("),
        *(r"\operatorname*)(", r"\pmod\big(", r"\hat\sqrt["),
    ],
)
def test_brackets_without_a_partner_do_not_take_exponential_time(brackets: str) -> None:
    assert not is_readable(brackets * 60)
    assert is_readable(r"\sin(" * 60 + "x" + ")" * 60)
    assert is_readable("[0, 1) (0, 1]")


def test_display_maths_inside_a_sentence_leaves_the_paragraph_whole() -> None:
    html = render_markdown("so $$x = 1$$ holds")

    assert "<div" not in html
    assert 'display="block"' in html


def test_python_is_highlighted() -> None:
    html = render_markdown("```python\ndef f(x):\n    return '<b>'\n```")

    assert '<span class="k">def</span>' in html
    assert "&lt;b&gt;" in html


def test_links_carry_no_weight_and_no_opener() -> None:
    html = render_markdown("[the docs](https://docs.jax.dev) and <https://example.org>")

    assert html.count('rel="nofollow noopener"') == 2


def test_one_line_has_no_paragraph_around_it() -> None:
    assert render_inline("the weight `w`") == "the weight <code>w</code>"


def test_a_table_of_too_many_cells_stays_text() -> None:
    row = "|a\n" * 60
    wide = "|" + "a|" * 400

    text = f"{wide}\n{'|' + '-|' * 400}\n{row}"

    assert "<table" not in render_markdown(text)
    assert "<table" in render_markdown("|a|b|\n|-|-|\n|1|2|")


def test_an_aligned_column_needs_no_style_of_its_own() -> None:
    html = render_markdown("|a|b|\n|:-:|-:|\n|1|2|")

    assert '<td class="to-center">1</td>' in html
    assert '<th class="to-right">b</th>' in html
    assert "style" not in html


def test_a_text_that_would_make_a_huge_page_is_shown_as_it_was_written() -> None:
    fence = "```python\n" + "f'{'" * (MAX_COLOURED // 5) + "\n```\n"

    page = render_markdown(fence * 4)

    assert len(page) < MAX_RENDERED
    assert page.startswith('<pre tabindex="0">```python')
    assert page.count("```") == 8


def test_a_text_shows_the_figures_of_its_package() -> None:
    figures = {"figures/curve.svg": "<svg/>"}

    html = render_markdown('![a "curve"](figures/curve.svg) ![other](figures/other.svg)', figures)

    assert '<img class="figure" alt="a &quot;curve&quot;" src="data:image/svg+xml;base64,PHN2Zy8+"> other' in html


HOSTILE_POSTS = {
    "formulas": "$x$x",
    "brackets": "[",
    "images": "![",
    "links": "[a](",
    "emphasis": "*a **b ",
    "dollars": "$$a ",
    "quotes": "> ",
    "code": "`a",
    "tags": "<a b=",
    "brackets in formulas": "$((([[[$",
    "strings": '"',
    "tables": "|a",
}


def count_calls(text: str) -> int:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        render_post(text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", HOSTILE_POSTS)
def test_twice_the_text_takes_at_most_twice_the_steps(name: str) -> None:
    unit = HOSTILE_POSTS[name]
    short, long = (count_calls((unit * length)[:length]) for length in (2_500, 5_000))

    assert long < 2.2 * short


def test_a_post_of_many_formulas_has_bounded_html() -> None:
    assert len(render_post(r"$\frac{a}{b}$" * 380)) <= MAX_POST_RENDERED
    assert len(render_post(r"$\frac12$" * 550)) <= MAX_POST_RENDERED


FILLED = """
from mdurl._decode import decode_cache
from mdurl._encode import encode_cache
from app.catalog.markdown import render_markdown

def tables():
    return [(name, len(table)) for cache in (encode_cache, decode_cache) for name, table in cache.items()]

before = tables()
render_markdown("[a](http://é.org/ä?b=%20 't') <http://é.org/%c3> <m@x.org> ![i](f.svg)\\n\\n[r]: //[::1]/a\\n\\n[r]")
assert before == tables() and {size for _, size in before} == {128}, (before, tables())
"""


def test_the_library_s_tables_for_links_are_full_before_the_first_page_is_rendered() -> None:
    # A page that finds a table half full fails with IndexError.
    subprocess.run([sys.executable, "-c", FILLED], check=True)
