"""Statements become HTML that is safe to place in a page."""

import re
from html.parser import HTMLParser

import pytest

from app.web.markdown import (
    MAX_COLOURED,
    MAX_POST_RENDERED,
    MAX_RENDERED,
    render_inline,
    render_markdown,
    render_post,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- --><b onclick=alert(1)>b</b>",
    "[link](javascript:alert(1))",
    "[link](data:text/html,<script>alert(1)</script>)",
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
    r"href|rel|title|class|tabindex|xmlns|display|mathvariant|stretchy|fence|form|accent|start|style"
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

        assert re.search(r'<munder><mo movablelimits="true">(lim|max|arg\smin)</mo>', html), name


def test_what_belongs_to_the_word_of_a_formula_stays_on_its_line() -> None:
    html = render_markdown("With $x$, the $k$-th ($y$). But $z$<b> and $w$ *more*.")

    assert re.findall(r"</math>(.*?)</span>", html) == [",", "-th", ").", "&lt;b&gt;", ""]


def test_a_long_formula_in_a_sentence_can_be_scrolled() -> None:
    long, short = (render_markdown(f"It is ${formula}$.") for formula in ("a + " * 12 + "b", "a + b"))

    assert '<span class="math inline long" tabindex="0">' in long
    assert '<span class="math inline">' in short


def test_a_formula_becomes_mathml() -> None:
    html = render_markdown(r"The loss is $\frac{1}{N}\sum_i (w x_i - y_i)^2$.")

    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in html
    assert "<mfrac>" in html
    assert "∑" in html


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
    html = render_markdown(r"$a \hspace{100000em} b \rule{1000em}{1000em}$")

    assert "000em" not in html


def test_prices_are_not_maths() -> None:
    assert "<math" not in render_markdown("It costs $5 now and $6 later.")


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


@pytest.mark.parametrize("text", ["costs $5 and $6", "$5 and $6", "- $5 and $6", "5$ and 6$ is 7", "x = 5$ or $6"])
def test_amounts_of_money_are_not_maths_wherever_they_stand(text: str) -> None:
    assert "<math" not in render_markdown(text)


@pytest.mark.parametrize("text", [r"\$g$", r"\$g$ is a \\", r"a \$g$", r"\$g_n\$ is 0"])
def test_an_escaped_dollar_is_a_dollar_wherever_it_stands(text: str) -> None:
    html = render_markdown(text)

    assert "<math" not in html
    assert html.count("$") == 2


def test_display_maths_inside_a_sentence_leaves_the_paragraph_whole() -> None:
    html = render_markdown("so $$x = 1$$ holds")

    assert "<div" not in html
    assert 'display="block"' in html


def test_python_is_highlighted() -> None:
    html = render_markdown("```python\ndef f(x):\n    return '<b>'\n```")

    assert '<span class="k">def</span>' in html
    assert "&lt;b&gt;" in html


def test_code_of_an_unknown_language_is_plain() -> None:
    assert '<code class="language-brainfog">a &lt; b\n</code>' in render_markdown("```brainfog\na < b\n```")


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


def test_the_kept_posts_of_all_users_fit_in_memory() -> None:
    formulas = r"$\frac{a}{b}$" * 380
    sizes = [len(render_post(f"{formulas} {number}")) for number in range(10)]

    assert all(MAX_POST_RENDERED // 2 < size <= MAX_POST_RENDERED for size in sizes)
    assert render_post.cache_parameters()["maxsize"] * MAX_POST_RENDERED < 20_000_000
