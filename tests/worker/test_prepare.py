import threading

import pytest

from app.catalog.package import Package, package_from_files
from app.engine.prepare import Draw, ReferenceFailed, prepare
from tests.catalog.packages import make_files, make_package
from tests.worker.bench import STANDARDISE, CountingPool, with_reference_line


def failure_of(package: Package, pool: CountingPool) -> str:
    with pytest.raises(ReferenceFailed) as failed:
        prepare(package, Draw(b"secret", 0), pool, threading.Event())
    return str(failed.value)


def test_a_generator_that_returns_other_keys_is_named_with_what_it_must_return(pool: CountingPool) -> None:
    said = failure_of(make_package(), pool)

    assert said == ("scaled_sum/cases.py, case made: make returned []; return a dict with exactly x, y, scale, options")


def test_a_generator_that_raises_is_named_with_its_traceback(pool: CountingPool) -> None:
    files = make_files({"cases.py": "def make(seed, width):\n    raise KeyError(width)\n"})

    said = failure_of(package_from_files("scaled_sum", files), pool)

    assert said.startswith("scaled_sum/cases.py, case made: KeyError: 3\n")
    assert "in make" in said


def test_a_reference_that_raises_is_named_with_its_case(pool: CountingPool) -> None:
    said = failure_of(with_reference_line("assert len(x) < 1000, 'too long'"), pool)

    assert said.startswith("standardise/problem.yaml, reference, case thousand: AssertionError: too long\n")


@pytest.mark.parametrize(
    ("checkers", "said"),
    [
        (
            "{loss: {checker: exact}}",
            'the pattern loss matches no leaf of any case; the leaves are only "", which "*" fits',
        ),
        ('{"*": {checker: exact}, "**": {checker: exact}}', "the pattern * matches no leaf of any case"),
    ],
)
def test_checkers_that_judge_nothing_are_named(checkers: str, said: str, pool: CountingPool) -> None:
    files = {"driver.py": b"def run(solution, inputs):\n    return solution(**inputs)\n"}
    text = STANDARDISE.files["problem.yaml"].decode() + f"checkers: {checkers}\n"
    package = package_from_files("standardise", files | {"problem.yaml": text.encode()})

    assert failure_of(package, pool).startswith(f"standardise/problem.yaml, checkers, {said}")


def test_a_checker_that_can_not_judge_the_reference_is_named_with_leaf_and_case(pool: CountingPool) -> None:
    driver = b"def run(solution, inputs):\n    return {'count': 3, 'values': solution(**inputs)}\n"
    text = STANDARDISE.files["problem.yaml"].decode() + "checkers: {count: {checker: gradient, relative: 0.1}}\n"
    package = package_from_files("standardise", {"driver.py": driver, "problem.yaml": text.encode()})

    said = failure_of(package, pool)

    assert said == (
        "standardise/problem.yaml, checkers, case small: gradient can't judge leaf count: it is int, but gradient "
        "judges complex, float: choose another checker"
    )
