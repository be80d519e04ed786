"""What the page makes of a statement's sections."""

from app.catalog.package import package_from_files
from app.catalog.query import preview_problem
from app.web.statement_html import Statement, arrange_statement
from tests.catalog.packages import make_files

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
WHY = """## Why this matters

Short is the *first* one. The second has `a. B` in it. {long}

![a figure](figures/one.svg)

The rest.
"""


def arrange(statement: str) -> Statement:
    files = make_files({"statement.md": statement, "figures/one.svg": SVG})
    return arrange_statement(preview_problem(package_from_files("scaled_sum", files), {}))


def test_the_first_sentences_of_why_and_its_figure_come_first() -> None:
    long = "It is long " + "and longer " * 20 + "."

    arranged = arrange(WHY.format(long=long) + "\n## Problem\n\nAdd.")

    assert arranged.why == "Short is the *first* one. The second has `a. B` in it.\n\n![a figure](figures/one.svg)"
    assert arranged.background == f"## More on why it matters\n\n{long}\n\nThe rest."


def test_a_why_that_fits_above_is_not_repeated() -> None:
    arranged = arrange("## Why this matters\n\nIt adds.\n\n## Problem\n\nAdd.")

    assert (arranged.why, arranged.background) == ("It adds.", "")


def test_other_sections_stay_sections_of_the_page() -> None:
    arranged = arrange("## Common pitfalls\n\nNone.\n\n## Why divide at the end\n\nIt rounds.\n\n## Problem\n\nAdd.")

    assert "## Why divide at the end\n\nIt rounds." in arranged.background


def test_sections_after_why_this_matters_are_not_part_of_it() -> None:
    arranged = arrange("## Why this matters\n\nIt adds.\n\n## Why a sum\n\nIt is short.\n\n## Problem\n\nAdd.")

    assert (arranged.why, arranged.background) == ("It adds.", "## Why a sum\n\nIt is short.")


def test_a_list_at_the_beginning_of_why_stays_a_list() -> None:
    arranged = arrange("## Why this matters\n\n- It is fast.\n- It is short.\n\n## Problem\n\nAdd.")

    assert (arranged.why, arranged.background) == ("", "## Why this matters\n\n- It is fast.\n- It is short.")
