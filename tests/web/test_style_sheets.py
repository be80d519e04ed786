"""The style sheets: one scale of type and one of spacing, both defined in base.css."""

import re
from collections.abc import Iterator
from pathlib import Path

from app.web.render import STATIC

SHEETS = (*sorted(STATIC.glob("*.css")), STATIC.parents[1] / "cli" / "notebook.css")
RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
SPACED = re.compile(r"(?:scroll-)?(?:padding|margin)(?:-[a-z-]+)?|(?:row-|column-)?gap")
LENGTH = re.compile(r"(?<![\w.-])-?[\d.]+(?:px|rem|pt|mm|vw|vh)(?!\w)")
USED = re.compile(r"var\((--(?:size|gap|page|line-numbers)[\w-]*)\)")
HAIRLINE = "1px"


def test_every_font_size_and_distance_is_a_step_of_its_scale() -> None:
    assert [complaint for sheet in SHEETS for complaint in list_literals(sheet)] == []


def test_every_step_that_is_used_is_defined_and_every_step_is_used() -> None:
    defined = set(re.findall(r"(--(?:size|gap|page|line-numbers)[\w-]*):", (STATIC / "base.css").read_text()))
    used = {name for sheet in SHEETS for name in USED.findall(sheet.read_text())}

    assert used == defined


def test_sums_and_products_stand_in_calc() -> None:
    """The browser drops a declaration with a product outside `calc`."""
    outside = [
        f"{sheet.name}: {name}: {value}"
        for sheet in SHEETS
        for _selector, name, value in list_declarations(sheet.read_text())
        if re.search(r"\s[*+]\s", re.sub(r"(?:calc|min|max|clamp)\((?:[^()]|\([^()]*\))*\)", "", value))
    ]

    assert outside == []


def list_literals(sheet: Path) -> Iterator[str]:
    """Yield each literal length that should be a token. Lengths in em are relative to the text, so they may stay."""
    for selector, name, value in list_declarations(sheet.read_text()):
        is_base = selector in ("html", "@page")  # the size and the margins of paper
        if name in ("font", "font-size"):
            literal = LENGTH.findall(value.partition("/")[0])
        elif SPACED.fullmatch(name):
            literal = [length for length in LENGTH.findall(value) if length != HAIRLINE]
        else:
            continue
        if literal and not is_base:
            yield f"{sheet.name}: {selector} {{ {name}: {value} }}: use a step of base.css for {', '.join(literal)}"


def list_declarations(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield selector, property and value."""
    for selector, body in RULE.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
        for declaration in body.split(";"):
            name, colon, value = declaration.partition(":")
            if colon:
                yield " ".join(selector.split(";")[-1].split()), name.strip(), value.strip()
