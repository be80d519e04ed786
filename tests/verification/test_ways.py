"""Other ways to compute give the same answers up to rounding, in the Python of boxes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.guest.codec import decode
from tests.framework_runtime import run_in_runtime

WAYS = {
    "numpy": ("shuffled_numpy",),
    "torch": ("shuffled_torch", "one_thread"),
    "jax": ("without_jit", "shuffled_jax", "float64"),
}
pytestmark = pytest.mark.whole  # computing in every way takes half a minute
PAIRS = [(framework, way) for framework, ways in WAYS.items() for way in ways]
SHUFFLED = [(framework, way) for framework, way in PAIRS if way.startswith("shuffled")]


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("ways")
    run_in_runtime("tests.verification.runtime", folder)
    return decode((folder / "computed").read_bytes())


@pytest.mark.parametrize(("framework", "way"), PAIRS)
def test_a_way_gives_the_same_up_to_rounding(computed: Any, framework: str, way: str) -> None:
    plain, other = computed[framework]["plain"], computed[framework][way]

    for name in set(plain) - {"dtype"}:
        np.testing.assert_allclose(other[name], plain[name], rtol=1e-5, atol=1e-4, err_msg=name)
    assert other["ints"] == 15


@pytest.mark.parametrize(("framework", "way"), SHUFFLED)
def test_sums_products_and_gradients_are_taken_in_another_order(computed: Any, framework: str, way: str) -> None:
    plain, other = computed[framework]["plain"], computed[framework][way]

    names = {"sum", "product"} | ({"mean"} if framework == "numpy" else {"gradient"})
    assert {name for name in names if np.array_equal(plain[name], other[name])} == set()
    assert other["dtype"] == "float32"


def test_float64_reaches_everything_that_follows_from_the_inputs(computed: Any) -> None:
    wide = computed["jax"]["float64"]

    assert wide["dtype"] == "float64"
    assert {wide[name].dtype.name for name in ("sum", "product", "gradient")} == {"float64"}
