"""Checks of Flax's parts that meet the walls of a box: files, threads, compilers, callbacks.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

import tempfile
from pathlib import Path
from typing import Any

import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen, nnx, serialization
from flax.training.train_state import TrainState

Array = Any
X = jnp.linspace(-1, 1, 64)[:, None]
Y = X**2


class Perceptron(linen.Module):
    width: int

    @linen.compact
    def __call__(self, x: Array, *, is_training: bool = False) -> Array:
        x = linen.Dense(self.width)(x)
        x = linen.BatchNorm(use_running_average=not is_training)(x)
        x = linen.Dropout(0.1, deterministic=not is_training)(linen.relu(x))
        return linen.Dense(1)(x)


def check_a_linen_module_learns() -> None:
    model = Perceptron(32)
    variables = model.init(jax.random.key(0), X)
    state = TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adam(1e-2))
    statistics = variables["batch_stats"]

    @jax.jit
    def step(state: TrainState, statistics: Any, key: Array) -> Any:
        def loss(params: Any) -> Any:
            given = {"params": params, "batch_stats": statistics}
            found, updates = state.apply_fn(given, X, is_training=True, rngs={"dropout": key}, mutable=["batch_stats"])
            return jnp.mean((found - Y) ** 2), updates["batch_stats"]

        (value, new), gradient = jax.value_and_grad(loss, has_aux=True)(state.params)
        return state.apply_gradients(grads=gradient), new, value

    values = []
    for key in jax.random.split(jax.random.key(1), 30):
        state, statistics, value = step(state, statistics, key)
        values.append(float(value))

    assert values[-1] < values[0] / 2


class Regressor(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(1, 32, rngs=rngs)
        self.norm = nnx.BatchNorm(32, rngs=rngs)
        self.second = nnx.Linear(32, 1, rngs=rngs)

    def __call__(self, x: Array) -> Array:
        return self.second(nnx.relu(self.norm(self.first(x))))


def check_an_nnx_module_learns() -> None:
    model = Regressor(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)

    @nnx.jit
    def step(model: Regressor, optimizer: Any) -> Array:
        value, gradient = nnx.value_and_grad(lambda model: jnp.mean((model(X) - Y) ** 2))(model)
        optimizer.update(model, gradient)
        return value

    values = [float(step(model, optimizer)) for _ in range(30)]

    assert values[-1] < values[0] / 2
    assert model.norm.mean[...].any()


def check_bytes_and_back() -> None:
    variables = Perceptron(4).init(jax.random.key(0), X)
    path = Path(tempfile.mkdtemp(), "parameters")
    path.write_bytes(serialization.to_bytes(variables))

    again = serialization.from_bytes(variables, path.read_bytes())

    assert jax.tree.all(jax.tree.map(jnp.array_equal, variables, again))
    assert flax.traverse_util.flatten_dict(again, sep="/")["params/Dense_0/kernel"].shape == (1, 4)


def check_a_checkpoint_by_orbax() -> None:
    import orbax.checkpoint as checkpoint

    tree = {"step": np.array(3), "parameters": {"w": jnp.arange(1000.0)}}
    folder = Path(tempfile.mkdtemp(), "checkpoint")
    with checkpoint.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder, tree)
        checkpointer.wait_until_finished()
        again = checkpointer.restore(folder, tree)

    assert np.array_equal(again["parameters"]["w"], tree["parameters"]["w"])  # type: ignore[index]
