"""Statements: Markdown to HTML that is safe to place in a page, whoever wrote it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from app.catalog.markup import make_parser
from app.catalog.maths import render_maths
from app.web.highlight import highlight_code


@lru_cache(maxsize=256)
def render_markdown(text: str) -> Markup:
    return Markup(_parser(text).render(text))


@lru_cache(maxsize=1024)
def render_inline(text: str) -> Markup:
    """One line of Markdown (a hint, a parameter's doc) without the surrounding paragraph."""
    return Markup(_parser(text).renderInline(text))


def _maths(latex: str, options: dict[str, Any]) -> str:
    return render_maths(latex, block=options["display_mode"])


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    tokens[index].attrSet("rel", "nofollow noopener")
    return renderer.renderToken(tokens, index, options, env)


def _display_inside_text(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    # The plugin's own <div> would end the paragraph around it.
    return f'<span class="math block" tabindex="0">{render_maths(tokens[index].content.strip(), block=True)}</span>'


def _display(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType) -> str:
    # As _fence.
    return f'<div class="math block" tabindex="0">{render_maths(tokens[index].content.strip(), block=True)}</div>\n'


def _fence(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # What scrolls must be in reach of the keyboard.
    return renderer.fence(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)


def _cell_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # The policy of our pages forbids the style attribute that an aligned column would have.
    if style := tokens[index].attrs.pop("style", None):
        tokens[index].attrSet("class", f"to-{str(style).rpartition(':')[2]}")
    return renderer.renderToken(tokens, index, options, env)


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    # As _fence.
    return '<div class="table-scroll" tabindex="0">' + renderer.renderToken(tokens, index, options, env)


def _table_close(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return renderer.renderToken(tokens, index, options, env) + "</div>\n"


def _parser(text: str) -> MarkdownIt:
    parser = make_parser(text, renderer=_maths)
    parser.options["highlight"] = _highlight
    parser.disable("image")  # the page loads nothing from elsewhere
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("th_open", _cell_open)
    parser.add_render_rule("td_open", _cell_open)
    parser.add_render_rule("math_block", _display)
    parser.add_render_rule("math_inline_double", _display_inside_text)
    return parser


def _highlight(code: str, language: str, _attributes: str) -> str:
    return highlight_code(code, language)
