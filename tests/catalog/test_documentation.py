"""The examples of docs/problem-format.md agree with the code."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from app.catalog.answers import ANSWERS, read_answer
from app.catalog.inputs import draw_inputs
from app.catalog.manifest import Manifest
from app.catalog.package import PackageInvalid, package_from_files
from app.catalog.rule_validation import AnyChecker, AnyRequirement, kind_of
from app.catalog.source import Source, function_fault
from app.catalog.yaml_document import read_document
from app.judging.checker import Checker
from app.judging.checkers import CHECKERS
from app.judging.requirement import Requirement
from app.judging.requirements import REQUIREMENTS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/problem-format.md").read_text()
EXAMPLE = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)[1]  # type: ignore[index]


def examples(begin: str, end: str, key: str = "") -> list[dict[str, Any]]:
    """Return the examples in YAML between two headings, or those that begin with a key."""
    section = TEXT[TEXT.index(begin) : TEXT.index(end)]
    texts = re.findall(rf"```yaml\n({key}.*?)```", section, re.DOTALL)
    return [read_document("example", text).content or {} for text in texts]


def test_the_example_is_a_whole_problem() -> None:
    package = package_from_files("scaled_sum", {"problem.yaml": EXAMPLE.encode()})

    large = draw_inputs(package.manifest, package.manifest.cases[1], b"secret", 0)

    assert large["x"].shape == (10_000,)
    assert large["scale"] in (0.5, 2.0, -3.0)


def test_the_lines_of_the_readme_are_a_problem_but_for_its_texts() -> None:
    lines = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]  # type: ignore[index]
    texts = {
        "statement.md": "## Problem\nCompute the softmax of each row.",
        "starter.py": "def softmax(logits):\n    ...\n",
        "reference.py": "def softmax(logits):\n    return logits\n",
        "submissions/accepted/same.py": "def softmax(logits):\n    return +logits\n",
        "submissions/wrong_answer/zero.py": "# Returns zeros.\ndef softmax(logits):\n    return 0 * logits\n",
    }
    about = "summary: A softmax\ndifficulty: beginner\nestimated_minutes: 10\n"
    files = {"problem.yaml": lines + about, **texts}

    package = package_from_files("softmax", {name: text.encode() for name, text in files.items()})

    assert draw_inputs(package.manifest, package.manifest.cases[1], b"secret", 0)["logits"].shape == (500, 100)


def test_the_message_shown_is_the_message_given() -> None:
    broken = EXAMPLE.replace("scale: {draw", "scal: {draw")

    with pytest.raises(PackageInvalid) as caught:
        package_from_files("scaled_sum", {"problem.yaml": broken.encode()})

    assert str(caught.value) in TEXT


def test_every_key_is_in_the_table() -> None:
    table = TEXT[TEXT.index("## Keys") : TEXT.index("### Parameters")]

    assert all(f"`{key}`" in table for key in Manifest.model_fields)


def test_every_checker_has_an_example_that_can_be_read() -> None:
    shown = examples("### Checkers", "### Cases", "checkers:")

    adapter: TypeAdapter[dict[str, Checker]] = TypeAdapter(dict[str, AnyChecker])
    read = [adapter.validate_python(content["checkers"]) for content in shown]
    assert {checker.checker for checkers in read for checker in checkers.values()} == set(CHECKERS)


def test_every_requirement_has_an_example_that_can_be_read() -> None:
    shown = examples("### Requirements", "### Cases", "requirements:")

    adapter: TypeAdapter[list[Requirement]] = TypeAdapter(list[AnyRequirement])
    read = [adapter.validate_python(content["requirements"]) for content in shown]
    assert {kind_of(requirement) for requirements in read for requirement in requirements} == set(REQUIREMENTS)


def test_every_kind_of_answer_has_an_example_that_can_be_read() -> None:
    shown = examples("### Kinds of answers", "### `driver.py`")

    assert {read_answer(content).kind for content in shown if "answer" in content} == set(ANSWERS) - {"function"}
    assert all(f"#### `{kind}`" in TEXT for kind in ANSWERS if kind != "function")


def test_the_examples_of_drivers_are_drivers() -> None:
    section = TEXT[TEXT.index("### `driver.py`") : TEXT.index("### Rules for every solution")]
    drivers = re.findall(r"```python\n(.*?)```", section, re.DOTALL)

    faults = [function_fault(Source(text, "driver.py"), "run", 2) for text in drivers]

    assert faults == [None, None, None]
