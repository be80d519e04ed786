"""Requirements on calls, judged in real boxes: a student must write the function and not call it."""

import threading
from dataclasses import dataclass

import pytest

from app.catalog.package import Package, load_package
from app.engine.prepare import Draw, PreparedVariant, ReferenceFailed, prepare
from app.judging.verdicts import CaseResult, Verdict
from sandbox.pool import Pool
from tests.hostile.arena import PROBLEMS
from tests.worker.bench import CountingPool, changed, judge_source

SOFTMAX = changed(
    "log_softmax]", "log_softmax, torch.sigmoid, torch.erf]", package=load_package(PROBLEMS / "softmax_by_hand")
)
PRODUCT = changed("[numpy.dot,", "[numpy.power, numpy.dot,", package=load_package(PROBLEMS / "product_by_hand"))
RULE = "must not call torch.softmax or torch.nn.functional.log_softmax or torch.sigmoid or torch.erf"
CALLED = {
    "the function": ("import torch\ndef softmax(x):\n    return torch.softmax(x, 1)", 3),
    "a layer": ("import torch\nlayer = torch.nn.Softmax(dim=1)\ndef softmax(x):\n    return layer(x)", 4),
    "a layer in a model": (
        "import torch\ndef softmax(x):\n    return torch.nn.Sequential(torch.nn.Identity(), torch.nn.Softmax(1))(x)",
        3,
    ),
    "an operation": ("import torch\ndef softmax(x):\n    return torch.ops.aten._softmax(x, 1, False)", 3),
    "another function with a pattern of its own": (
        "import torch\ndef softmax(x):\n    return x.log_softmax(1).exp()",
        3,
    ),
}


@dataclass
class Court:
    package: Package
    prepared: PreparedVariant
    pool: Pool

    def judge(self, source: str) -> tuple[CaseResult, ...]:
        return tuple(judge_source(source, self.pool, self.prepared.cases, self.package).cases)


def open_court(pool: CountingPool, package: Package) -> Court:
    return Court(package, prepare(package, Draw(b"a secret", 0), pool, threading.Event()), pool)


@pytest.fixture(scope="module")
def softmax(pool: CountingPool) -> Court:
    return open_court(pool, SOFTMAX)


def test_a_function_with_the_name_of_a_random_method_is_seen(pool: CountingPool) -> None:
    source = PRODUCT.reference.replace("    return", "    np.power(a, 2)\n    return")

    sample, _ = open_court(pool, PRODUCT).judge(f"import numpy as np\n{source}")

    assert sample.verdict is Verdict.REQUIREMENT_NOT_MET
    assert "found numpy.power in line 3" in sample.report["message"]


@pytest.mark.parametrize("spelling", CALLED)
def test_the_forbidden_function_is_found_by_every_spelling(softmax: Court, spelling: str) -> None:
    source, line = CALLED[spelling]

    sample, hidden = softmax.judge(source)

    assert sample.verdict is hidden.verdict is Verdict.REQUIREMENT_NOT_MET
    assert f"softmax in line {line}" in sample.report["message"]
    assert hidden.report["category"] == RULE


@pytest.mark.parametrize("call", ["(x + 0).sigmoid_()", "torch.sigmoid_(x + 0)", "(x + 0).erf_()", "torch.erf_(x + 0)"])
def test_a_function_that_changes_its_tensor_counts_too(softmax: Court, call: str) -> None:
    source = softmax.package.reference.replace("    return", f"    {call}\n    return")

    sample, _ = softmax.judge(source)

    name = "torch.sigmoid" if "sigmoid" in call else "torch.erf"
    assert f"found {name} in line 6" in sample.report["message"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("      return (a[", "      a.dot(b)\n      return (a[", r"breaks the rule.*numpy\.dot in line 2"),
        ("numpy.linalg.*", "numpy.linalg.sovle", r"no library has numpy\.linalg\.sovle"),
    ],
    ids=["the reference calls it", "no library has it"],
)
def test_a_rule_that_the_reference_breaks_or_that_forbids_nothing_is_the_author_s_fault(
    pool: CountingPool, old: str, new: str, words: str
) -> None:
    with pytest.raises(ReferenceFailed, match=words):
        prepare(changed(old, new, package=PRODUCT), Draw(b"a secret", 0), pool, threading.Event())
