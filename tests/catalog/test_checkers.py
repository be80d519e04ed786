"""The key `checkers`: strict validation, and conflicts with the rest of the package."""

import jsonschema_rs
import pytest
import yaml

from app.catalog.manifest import manifest_schema
from app.catalog.package import package_from_files
from tests.catalog.packages import PROBLEM, faults_of, make_files
from tests.judging.checkers.examples import EXAMPLES

DICT = PROBLEM.replace("returns: {type: numpy, shape: [], dtype: float32}", "returns: {type: dict}")

MATRIX = "{type: numpy, shape: [N, 3], dtype: float32}"
FEW = MATRIX.replace("N", "3")
# what is returned, checkers, key, words of the message, words of the remedy
BROKEN = [
    ("{type: dict}", "{a: {checker: exakt}}", "checkers.a", "checker is 'exakt'; did you mean exact?", "closeness"),
    ("{type: dict}", "{a: {}}", "checkers.a", "has no key `checker`", "add `checker:` with one of closeness, "),
    ("{type: dict}", "{a: exact}", "checkers.a", "is 'exact'", "write `{checker: …}` with one of"),
    ("{type: dict}", "{a: {checker: exact, rtol: 1}}", "checkers.a.rtol",
     "is not a known key", "the known keys are checker"),
    ("{type: dict}", "[exact]", "checkers", "is ['exact']", "write a mapping"),
    ("{type: dict}", "{history: {checker: exact}}", "tolerance.leaves.history", "uses no tolerance", "remove it"),
    (FEW, '{"*": {checker: distribution}}', "checkers.*", "an output that has 3 samples, and a false_rej", "draw more"),
    ("{type: dict}", "{a: {checker: property}}", "checkers.a", "needs checker.py", "under the key `property:`"),
    ("{type: dict}", "{a: {checker: gradient}}", "checkers.a.relative", "is missing", "add `relative: …`"),
    ("{type: bool}", '{"*": {checker: gradient, relative: 0.1}}', "checkers.*", "is bool, but gradient", "another"),
    ("{type: float}", "{a: {checker: exact}}", "checkers.a", "names a leaf, but the output is one float", '"*"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("returns", "checkers", "key", "message", "remedy"), BROKEN, ids=[f"{row[0]} {row[1]}" for row in BROKEN]
)
def test_a_broken_checker_names_key_value_and_remedy(
    returns: str, checkers: str, key: str, message: str, remedy: str
) -> None:
    problem = DICT.replace("{type: dict}", returns) + f"checkers: {checkers}\n"

    faults = faults_of(make_files(problem=problem))

    fault = next((fault for fault in faults if fault.key == key), None)
    assert fault is not None, f"found only {[str(f) for f in faults]}"
    assert message in fault.message
    assert remedy in fault.remedy
    if key.startswith("checkers"):
        assert fault.line == problem.count("\n")


def test_a_driver_may_give_more_than_is_returned() -> None:
    driver = {"driver.py": "def run(solution, inputs):\n    return {}\n"}

    assert faults_of(make_files(driver, problem=PROBLEM + "checkers: {a: {checker: exact}}\n")) == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_takes_every_checker_and_refuses_unknown_keys(name: str) -> None:
    document = yaml.safe_load(DICT.replace("1e-", "1.0e-"))
    validator = jsonschema_rs.validator_for(manifest_schema())

    assert validator.is_valid(document | {"checkers": {"*": {"checker": name, **EXAMPLES[name].options}}})
    assert not validator.is_valid(document | {"checkers": {"*": {"checker": name, "colour": "red"}}})


CHECKER = "def check(inputs, expected, answer):\n    return True\n"


@pytest.mark.parametrize(
    ("checkers", "code", "said"),
    [
        ("{a: {checker: exact}}", CHECKER, "checker.py:1: judges no leaf"),
        ("{a: {checker: property}}", "def chek(i, e, a): ...\n", "checker.py:1: does not define check"),
        (
            "{a: {checker: property}}",
            "\ndef check(answer): ...\n",
            "checker.py:2: defines check, which does not take 3",
        ),
        ("{a: {checker: property}}", "def check(:\n", "checker.py:1: is not valid Python"),
    ],
)
def test_a_checker_that_can_not_be_asked_is_told(checkers: str, code: str, said: str) -> None:
    problem = DICT + f"checkers: {checkers}\n"

    (fault,) = faults_of(make_files({"checker.py": code}, problem=problem))

    assert str(fault).startswith(said)


def test_the_authors_own_checker_may_stand_in_a_file_or_in_the_manifest() -> None:
    problem = DICT + "checkers: {a: {checker: property}}\n"
    inline = problem + "property: |\n" + "".join(f"  {line}\n" for line in CHECKER.splitlines())

    for files in (make_files({"checker.py": CHECKER}, problem=problem), make_files(problem=inline)):
        assert package_from_files("scaled_sum", files).checker == CHECKER
