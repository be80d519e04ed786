"""What the page makes of a statement's sections."""

import pytest
from fastapi.testclient import TestClient

from app.catalog.package import load_package, package_from_files
from app.catalog.query import get_problem, preview_problem
from app.database.engine import Database
from app.settings import ROOT
from app.web.statement_html import Statement, arrange_statement, name_function
from tests.catalog.packages import make_files
from tests.web.test_problem_words import view_package

PROBLEM = "/problems/scaled_sum"

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
WHY = """## Why this matters

Short is the *first* one. The second has `a. B` in it. {long}

![a figure](figures/one.svg)

The rest.
"""

STATEMENT = """\
Before.

## Why this matters

It matters.

```python
## Problem
```

## Worked example

An example.

## Problem

Add up.

## Notes

More.

## Inputs

N is small.

## Output

One number.
"""


def arrange(statement: str) -> Statement:
    files = make_files({"statement.md": statement, "figures/one.svg": SVG})
    return arrange_statement(preview_problem(package_from_files("scaled_sum", files), {}))


def test_the_first_sentences_of_why_and_its_figure_come_first() -> None:
    long = "It is long " + "and longer " * 20 + "."

    arranged = arrange(WHY.format(long=long) + "\n## Problem\n\nAdd.")

    assert arranged.why == "Short is the *first* one. The second has `a. B` in it.\n\n![a figure](figures/one.svg)"
    assert arranged.background == f"## More on why it matters\n\n{long}\n\nThe rest."


@pytest.mark.parametrize(
    ("statement", "why", "background"),
    [
        ("## Why this matters\n\nIt adds.", "It adds.", ""),
        (
            "## Common pitfalls\n\nNone.\n\n## Why divide\n\nIt ends.",
            "",
            "## Common pitfalls\n\nNone.\n\n## Why divide\n\nIt ends.",
        ),
        ("## Why this matters\n\nIt adds.\n\n## Why a sum\n\nIt ends.", "It adds.", "## Why a sum\n\nIt ends."),
        ("## Why this matters\n\n- Fast.\n- Short.", "", "## Why this matters\n\n- Fast.\n- Short."),
    ],
    ids=["it fits above", "another section", "a section after it", "a list at its beginning"],
)
def test_only_the_first_sentences_of_why_this_matters_stand_above(statement: str, why: str, background: str) -> None:
    arranged = arrange(f"{statement}\n\n## Problem\n\nAdd.")

    assert (arranged.why, arranged.background) == (why, background)


def test_the_task_comes_before_the_background_and_the_inputs_stand_by_the_function(
    anyone: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum").model_copy(update={"statement": STATEMENT})

    statement = arrange_statement(problem)

    assert statement.task == "Before.\n\n## Problem\n\nAdd up.\n\n## Notes\n\nMore."
    assert (statement.inputs, statement.output) == ("N is small.", "One number.")
    assert statement.background.startswith("## Worked example")
    assert statement.background.endswith("```python\n## Problem\n```")
    assert anyone.get(PROBLEM).text.count("<table") == 1


def test_a_statement_without_a_task_stays_as_it_is(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum").model_copy(update={"statement": "Return the sum."})

    assert arrange_statement(problem).task == "Return the sum."
    assert anyone.get(PROBLEM).is_success


@pytest.mark.parametrize(
    ("slug", "name", "words"),
    [
        ("finite_differences", "f", "function"),
        ("runge_kutta_4", "f", "function(t, y)"),
        ("hmc_step", "potential", "function(q)"),
        ("streaming_logsumexp", "chunks", None),
        ("train_with_accumulation", "model", None),
    ],
)
def test_an_argument_that_is_a_function_shows_its_call(slug: str, name: str, words: str | None) -> None:
    problem = view_package(load_package(ROOT / "problems" / slug))
    parameter = next(each for each in problem.parameters if each.name == name)

    assert name_function(name, parameter) == words
