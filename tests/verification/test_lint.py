"""The findings of lint."""

import pytest

from app.catalog.package import Package, package_from_files
from app.catalog.verification_report import Finding
from app.verification.lint import RULES
from app.verification.package_texts import read_texts
from tests.verification.bench import changed, package_of

WHY = "Streams have no end, and their mean is wanted now."
KEY_LINE = "return np.cumsum(x, dtype=np.float32) / np.arange(1, len(x) + 1, dtype=np.float32)"
GIVEN = "total = np.add.reduce(np.asarray(x, dtype=np.float64))"
HIDDEN = "inputs: {x: {draw: uniform, shape: [1], low: 2, high: 3}}"
HIDDEN_CASES = ("one_number", "many_numbers", "both_signs")
DRAWN = "{draw: uniform, shape: [100], low: 0.1, high: 3}"

FOUND = {
    "licence": ("license: CC-BY-4.0\n", "", "warning", "no licence"),
    "sections": ("## Common pitfalls", "## Traps", "error", "section `## Common pitfalls` is missing"),
    "empty section": (WHY, "", "error", "section `## Why this matters` is empty"),
    "formula": (r"\frac{1}{i + 1}", r"\fraction{1}{i + 1}", "error", "can't be rendered"),
    "second meaning": ("N is at least 1.", "- `x`: the numbers", "error", "x is explained a second time"),
    "table of meanings": (
        "N is at least 1.",
        "| name | meaning |\n  |---|---|\n  | `x` | the numbers |",
        "error",
        "x is explained a second time",
    ),
    "no meaning": (', doc: "the numbers"', "", "warning", "the page does not say what x means"),
    "macro": (r"$m_i =", r"$\def\m{m} m_i =", "error", "can't be rendered"),
    "unread formula": (WHY, "It is 3$a_1 = 2$ here.", "warning", "is shown as plain text"),
    "colour": (r"$m_i =", r"$\color{red}{m_i} =", "error", "can't be rendered"),
    "bar in a formula": (WHY, "| a |\n  |---|\n  | $P(A|B)$ |", "warning", "the bar in $P(A|B)$ ends the cell"),
    "escaped bar": (WHY, "| a |\n  |---|\n  | $\\|x\\|$ |", "warning", "the bar in $\\|x\\|$ ends the cell"),
    "bar in code": (WHY, "| a |\n  |---|\n  | `a|b` |", "warning", "the bar in `a|b` ends the cell"),
    "link": (WHY, "See [there](https://example.org/mean).", "warning", "points outside the package"),
    "link without a scheme": (WHY, "See [there](//example.org/mean).", "warning", "points outside the package"),
    "dead link": (WHY, "See [there](../other/statement.md).", "error", "does not work on a problem's page"),
    "image": (WHY, "![curve](curve.png)", "error", "is not shown"),
    "missing figure": (WHY, "![curve](figures/curve.svg)", "error", "is not shown"),
    "HTML": (WHY, "It is <b>big</b>.", "warning", "the HTML tag <b> is shown as plain text"),
    "twin of a sample": (HIDDEN, "inputs: {x: [2, 4, 9]}", "warning", "has the same inputs as sample worked_example"),
    "twice the same choice": ('"one for each place"', '"one that grows"', "error", "the same choice twice"),
    "TODO": (WHY, "TODO: why it matters", "error", "contains TODO"),
    "TODO in a comment": ("title: ", "# TODO: find a title\ntitle: ", "error", "the comment says TODO"),
    "unused framework": ("[numpy]", "[numpy, torch]", "warning", "nothing imports it"),
}


def findings_of(package: Package) -> list[Finding]:
    texts = read_texts(package, ())
    return [finding for rule in RULES.values() for finding in rule(texts)]


# What looks like a fault and is none.
RIGHT: dict[str, tuple[tuple[str, str], ...]] = {
    "nothing changed": (),
    "prices and escaped bars of code in tables": (
        (
            WHY,
            "| a | b |\n  |---|---|\n  | $5 | $6 |\n  | `a\\|b` | `c` |\n  | $x$ | $\\lvert y \\rvert$ |",
        ),
    ),
    "a sentence about a parameter": (("N is at least 1.", "All of `x` is finite."),),
    "no section about inputs": (("  ## Inputs\n  N is at least 1.\n", ""),),
    "a line of the solution that the starter gives": (
        ("raise NotImplementedError", f"{GIVEN}\n      raise NotImplementedError"),
        (KEY_LINE, f"{GIVEN}\n      {KEY_LINE}"),
        (WHY, f"`{GIVEN}`"),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_package_has_nothing_to_be_found(name: str) -> None:
    assert findings_of(changed("running_mean", *RIGHT[name])) == []


@pytest.mark.parametrize("name", FOUND)
def test_lint_finds_each_fault_with_its_severity(name: str) -> None:
    old, new, severity, message = FOUND[name]

    found = findings_of(changed("running_mean", (old, new)))

    told = [(finding.severity, finding.message) for finding in found]
    assert any(level == severity and message in text for level, text in told), told


def test_a_finding_names_file_and_line() -> None:
    package = changed("running_mean", (WHY, "![curve](curve.png)"))
    lines = package.files["problem.yaml"].decode().split("\n")

    (finding,) = findings_of(package)

    assert finding.file == "problem.yaml"
    assert finding.line is not None
    assert "curve.png" in lines[finding.line - 1]


def test_hidden_inputs_in_the_statement_are_found() -> None:
    hidden = (HIDDEN, "inputs: {x: [7, 1, 5.5, 2]}")
    shown = (WHY, "Try it on 7, 1, 5.5, 2 first.")

    found = findings_of(changed("running_mean", hidden, shown))

    assert [(finding.severity, "7, 1, 5.5, 2 of hidden case one_number" in finding.message) for finding in found] == [
        ("error", True)
    ]


CODE = "generators: |\n  def used(seed):\n      return {'x': [1.0]}\n\n\n  def idle(seed):\n      return used(seed)\n"
FOUND_BY_SEVERAL_CHANGES: dict[str, tuple[list[tuple[str, str]], str]] = {
    "no hidden case": (
        [(f"- name: {name}", f"- name: {name}\n    visibility: sample") for name in HIDDEN_CASES],
        "no case is hidden",
    ),
    "hidden cases that draw nothing": (
        [
            (HIDDEN, "inputs: {x: [5]}"),
            (DRAWN, "[1, 1, 1]"),
            ("{draw: normal, shape: [40], loc: 1.0}", "[3, 2]"),
        ],
        "no hidden case draws its inputs",
    ),
    "two solutions of the same code": (
        [("/ np.maximum(np.arange(len(x), dtype=x.dtype), 1)", "")],
        "wrong_answer/off_by_one has the same code as wrong_answer/running_sum",
    ),
    "a generator that no case names": (
        [(HIDDEN, "generate: used"), ("reference: |", f"{CODE}reference: |")],
        "no case uses the generator idle",
    ),
}


@pytest.mark.parametrize("name", FOUND_BY_SEVERAL_CHANGES)
def test_lint_finds_what_several_texts_say_together(name: str) -> None:
    changes, message = FOUND_BY_SEVERAL_CHANGES[name]

    found = findings_of(changed("running_mean", *changes))

    assert any(message in finding.message and finding.remedy for finding in found), found


STARTER = 'def running_mean(x):\n      """x: (N,) → (N,)"""\n      raise'


def test_a_starter_with_other_names_than_the_page_shows_is_found_with_its_line() -> None:
    package = changed("running_mean", (STARTER, "def running_mean(numbers):\n      raise"))

    (finding,) = findings_of(package)

    line = package.files["problem.yaml"].decode().split("\n").index("  def running_mean(numbers):") + 1
    assert (finding.severity, finding.file, finding.line) == ("warning", "problem.yaml", line)
    assert finding.message == "running_mean takes (numbers), but the page shows (x)"


@pytest.mark.parametrize(
    ("key", "parameters", "is_found"),
    [("reference", "x, window=3", False), ("reference", "window=3", True), ("starter", "x, window=3", True)],
)
def test_only_the_reference_may_have_further_parameters_with_defaults(
    key: str, parameters: str, is_found: bool
) -> None:
    text = package_of("running_mean").files["problem.yaml"].decode()
    begin = text.index(f"{key}: |")
    code = text[begin:].replace("def running_mean(x)", f"def running_mean({parameters})", 1)
    package = package_from_files("running_mean", {"problem.yaml": (text[:begin] + code).encode()})

    assert any("but the page shows (x)" in finding.message for finding in findings_of(package)) == is_found


def test_a_forbidden_word_that_no_program_can_hold_is_refused_with_its_line() -> None:
    package = changed(
        "running_mean",
        ("frameworks: [numpy]", "frameworks: [jax]\nrequirements: [{forbids: [while, for]}]"),
        ('type: numpy, shape: [N], dtype: float32, doc: "the numbers"', "type: jax, shape: [N], dtype: float32"),
    )

    (finding,) = [finding for finding in findings_of(package) if "forbids" in finding.message]

    assert (finding.severity, finding.file, finding.line) == ("error", "problem.yaml", 7)
    assert finding.message == "requirements[0].forbids[1] is 'for', which is not a known operation; did you mean fori?"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (WHY, f"Write `{KEY_LINE}`."),
        (WHY, f"```python\n  {KEY_LINE.replace(' / ', '/')}\n  ```"),
        ("What is the mean of the first three numbers, if you know their sum?", f"Try {KEY_LINE}."),
        ("raise NotImplementedError", f"# {KEY_LINE}\n      raise NotImplementedError"),
    ],
    ids=["statement", "block", "hint", "comment in the starter"],
)
def test_the_whole_solution_in_a_text_is_found(old: str, new: str) -> None:
    package = changed("running_mean", (old, new))

    (finding,) = findings_of(package)

    line = next(n for n, text in enumerate(package.files["problem.yaml"].decode().split("\n"), 1) if "umsum(" in text)
    assert (finding.severity, finding.file, finding.line) == ("error", "problem.yaml", line)
    assert finding.message == "the whole solution is shown here: all that the reference computes beyond the starter"


def test_one_line_of_several_in_a_text_is_a_warning() -> None:
    two_steps = f"total = np.cumsum(x, dtype=np.float32)\n      {KEY_LINE}"
    package = changed("running_mean", (KEY_LINE, two_steps), (WHY, f"`{KEY_LINE}`"))

    (finding,) = findings_of(package)

    assert (finding.severity, finding.message) == ("warning", "line 7 of the reference is shown here")


RENAMED = """
  ```python
  def running_mean(numbers):
      total, means = np.float64(0), []
      for each in numbers:
          total += each
          means.append(total / (len(means) + 1))
      return np.array(means, numbers.dtype)
  ```"""


def test_an_accepted_solution_with_other_names_in_a_block_of_code_is_found() -> None:
    package = changed("running_mean", (WHY, WHY + RENAMED))

    (finding,) = findings_of(package)

    line = package.files["problem.yaml"].decode().split("\n").index("  def running_mean(numbers):") + 1
    assert (finding.severity, finding.line) == ("error", line)
    assert finding.message.startswith("the whole solution is shown here: all that accepted/with_a_total computes")


def test_a_figure_that_no_text_shows_is_found() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
    package = package_from_files("running_mean", {**package_of("running_mean").files, "figures/curve.svg": svg})

    (finding,) = findings_of(package)

    assert (finding.file, finding.message) == ("figures/curve.svg", "no text shows this figure")
