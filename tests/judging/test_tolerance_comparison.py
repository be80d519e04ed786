import numpy as np
import pytest

from app.errors import Invalid
from app.judging.comparison import Rules, tolerance_for
from app.judging.leaf import read_leaf
from app.judging.tolerance_comparison import EXACT, Tolerance, default_for

LOOSE = Tolerance(rtol=0.5, atol=0.5)
TIGHT = Tolerance(rtol=1e-9, atol=0.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e-9])
def test_a_tolerance_is_a_number_that_is_not_negative(value: float) -> None:
    with pytest.raises(Invalid, match="of at least 0"):
        Tolerance(rtol=value, atol=0.0)
    with pytest.raises(Invalid, match="atol"):
        Tolerance(rtol=0.0, atol=value)


def test_the_defaults_are_by_dtype_and_integers_are_exact() -> None:
    assert default_for("bfloat16") == Tolerance(rtol=1.6e-2, atol=1e-5)
    assert default_for("int64") == default_for("bool") == default_for("float8_e5m2") == EXACT


def test_a_path_wins_over_the_longest_pattern_and_that_over_the_whole_outputs_tolerance() -> None:
    rules = Rules(tolerance=LOOSE, leaves={"params/*": EXACT, "params/dense/*": TIGHT, "params/dense/bias": LOOSE})
    leaf = read_leaf(1.0)

    assert tolerance_for("loss", leaf, rules) == LOOSE
    assert tolerance_for("params/kernel", leaf, rules) == EXACT
    assert tolerance_for("params/dense/kernel", leaf, rules) == TIGHT
    assert tolerance_for("params/dense/bias", leaf, rules) == LOOSE


def test_a_tolerance_of_the_whole_output_leaves_integers_exact_until_their_path_is_named() -> None:
    step = read_leaf(np.array(7, np.int32))

    assert tolerance_for("step", step, Rules(tolerance=LOOSE)) == EXACT
    assert tolerance_for("step", step, Rules(leaves={"step": LOOSE})) == LOOSE
    assert tolerance_for("step", read_leaf(True), Rules(leaves={"*": LOOSE})) == EXACT
