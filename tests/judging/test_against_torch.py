"""Side by side with `torch.testing.assert_close`, whose default tolerances are ours."""

from pathlib import Path
from typing import Any

import pytest

from app.judging.comparison import Rules, compare
from app.judging.leaf import Tree
from sandbox.guest.codec import Caps, decode, encode
from tests.framework_runtime import run_in_runtime
from tests.judging.generated_cases import Generated, generate

COUNT = 5000
MANY = Caps(nodes=10_000_000)


@pytest.mark.whole
def test_torch_says_the_same_of_every_generated_case(tmp_path: Path) -> None:
    cases = generate(COUNT, seed=1)
    (tmp_path / "cases").write_bytes(encode([_for_torch(case) for case in cases], MANY))

    run_in_runtime("tests.judging.torch_verdicts", tmp_path)

    verdicts: Any = decode((tmp_path / "verdicts").read_bytes(), MANY)
    differing = [case for case, verdict in zip(cases, verdicts, strict=True) if _ours(case) != verdict]
    assert differing == []


def _for_torch(case: Generated) -> Tree:
    rtol, atol = (case.tolerance.rtol, case.tolerance.atol) if case.tolerance else (None, None)
    return {"answer": case.answer, "expected": case.expected, "rtol": rtol, "atol": atol}


def _ours(case: Generated) -> bool:
    leaves = {"*": case.tolerance} if case.tolerance else {}
    return compare(case.answer, case.expected, Rules(leaves=leaves, dtype_policy="exact")).accepted
