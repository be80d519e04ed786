"""Other ways to compute give the same answers up to rounding, in boxes."""

from typing import Any

import numpy as np
import pytest

from app.engine.batch import Call, Version
from app.verification.trial import Trial, VerificationPools
from app.verification.ways import read_way
from sandbox.guest.codec import decode
from tests.verification.bench import changed, make_case, trial_of

pytestmark = pytest.mark.whole  # computing in every way takes a while
PARAMETER = "type: numpy, shape: [N], dtype: float32"
SOURCES = {
    "numpy": """
def running_mean(x):
    return {"sum": x.sum(1), "mean": x.mean(axis=0), "product": x @ x.T, "dtype": str(x.dtype)}
""",
    "torch": """
import torch

def running_mean(x):
    x = x.clone().requires_grad_()
    torch.tanh(x @ x.T).sum().backward()
    dtype = str(x.dtype).removeprefix("torch.")
    return {"sum": x.sum(1).detach(), "product": (x @ x.T).detach(), "gradient": x.grad, "dtype": dtype}
""",
    "jax": """
import jax, jax.numpy as jnp

def running_mean(x):
    def loss(x):
        return jax.lax.scan(lambda total, row: (total + jnp.sum(jnp.tanh(row @ x.T)), None), 0.0 * x[0, 0], x)[0]

    return {"sum": x.sum(1), "product": x @ x.T, "gradient": jax.grad(loss)(x), "dtype": str(x.dtype)}
""",
}
WAYS = [
    ("numpy", "shuffled_numpy"),
    ("torch", "shuffled_torch"),
    ("torch", "one_thread"),
    ("jax", "without_jit"),
    ("jax", "shuffled_jax"),
    ("jax", "float64"),
]


@pytest.mark.parametrize(("framework", "way"), WAYS)
def test_a_way_rounds_otherwise_and_computes_the_same(framework: str, way: str, pools: VerificationPools) -> None:
    package = changed("running_mean", ("[numpy]", f"[{framework}]"), (PARAMETER, PARAMETER.replace("numpy", framework)))
    trial, source = trial_of(package, pools), SOURCES[framework]
    case = make_case("one", None, {"x": np.random.default_rng(0).normal(size=(40, 300)).astype(np.float32)})

    plain, other = (answer_of(trial, Call(Version(source, each and read_way(each)), case)) for each in (None, way))

    names = plain.keys() - {"dtype"}
    for name in names:
        np.testing.assert_allclose(other[name], plain[name], rtol=1e-5, atol=1e-4, err_msg=name)
    assert other["dtype"] == ("float64" if way == "float64" else "float32")
    if way == "float64":
        assert {other[name].dtype.name for name in names} == {"float64"}
    elif way.startswith("shuffled"):
        assert {name for name in names if np.array_equal(plain[name], other[name])} == set()


def answer_of(trial: Trial, call: Call) -> Any:
    """Each way in a process of its own, as in a verification."""
    (outcome,) = trial.batch.call_all([call], wall_seconds=60)
    assert outcome is not None
    assert outcome.answer is not None, outcome
    return decode(outcome.answer)
