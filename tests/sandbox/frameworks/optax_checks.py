"""Checks of Optax's parts that students use. Read as text and run inside boxes by `test_frameworks.py`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

TARGET = {"w": jnp.array([1.0, -2.0, 3.0]), "b": jnp.array(0.5)}
START = jax.tree.map(jnp.zeros_like, TARGET)


def distance(parameters: Any) -> Any:
    return sum(jax.tree.leaves(jax.tree.map(lambda a, b: jnp.sum((a - b) ** 2), parameters, TARGET)))


def minimise(optimizer: Any, steps: int = 300) -> float:
    """Return the remaining distance."""

    def step(_: int, held: Any) -> Any:
        parameters, state = held
        updates, state = optimizer.update(jax.grad(distance)(parameters), state, parameters)
        return optax.apply_updates(parameters, updates), state

    @jax.jit
    def run(start: Any) -> Any:
        return distance(jax.lax.fori_loop(0, steps, step, (start, optimizer.init(start)))[0])

    return float(run(START) / distance(START))


def check_optimisers_of_the_first_order() -> None:
    optimisers = {
        "sgd": optax.sgd(0.1, momentum=0.5, nesterov=True),
        "adam": optax.adam(0.1),
        "adamw": optax.adamw(0.1, weight_decay=1e-5),
        "rmsprop": optax.rmsprop(0.05),
        "adagrad": optax.adagrad(1.0),
        "lion": optax.lion(0.02),
        "radam": optax.radam(0.1),
        "lookahead": optax.chain(optax.add_noise(1e-6, 0.55, key=0), optax.sgd(0.1)),
    }

    left = {name: minimise(optimizer) for name, optimizer in optimisers.items()}

    assert max(left.values()) < 0.05, left


def check_a_quasi_newton_method() -> None:
    optimizer = optax.lbfgs()
    parameters, state = START, optimizer.init(START)
    value_and_grad = optax.value_and_grad_from_state(distance)
    for _ in range(10):
        value, gradient = value_and_grad(parameters, state=state)
        updates, state = optimizer.update(gradient, state, parameters, value=value, grad=gradient, value_fn=distance)
        parameters = optax.apply_updates(parameters, updates)

    assert distance(parameters) < 1e-6


def check_schedules() -> None:
    schedule = optax.join_schedules(
        [optax.linear_schedule(0.0, 1.0, 10), optax.cosine_decay_schedule(1.0, 90)], boundaries=[10]
    )
    warm = optax.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100)

    assert np.allclose([schedule(0), schedule(5), schedule(10), schedule(100)], [0, 0.5, 1, 0], atol=1e-6)
    assert np.allclose([warm(step) for step in (0, 10, 100)], [0, 1, 0], atol=1e-6)
    assert optax.piecewise_constant_schedule(1.0, {5: 0.1})(6) == np.float32(0.1)
    assert minimise(optax.sgd(optax.exponential_decay(0.2, 50, 0.9))) < 1e-3


def check_clipped_gradients() -> None:
    gradient = {"w": jnp.array([30.0, 40.0]), "b": jnp.array(0.0)}
    for clip, norm in ((optax.clip_by_global_norm(5.0), 5.0), (optax.clip(1.0), 2**0.5)):
        updates, _ = clip.update(gradient, clip.init(gradient))
        assert np.isclose(optax.global_norm(updates), norm)
    assert minimise(optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))) < 0.05


def check_accumulated_gradients() -> None:
    optimizer = optax.MultiSteps(optax.sgd(0.2), every_k_schedule=4)

    assert minimise(optimizer, steps=200) < 1e-3


def check_parts_of_a_tree() -> None:
    parts = optax.partition({"fast": optax.sgd(0.2), "frozen": optax.set_to_zero()}, {"w": "fast", "b": "frozen"})
    masked = optax.masked(optax.sgd(0.2), {"w": True, "b": False})
    named = optax.inject_hyperparams(optax.sgd)(learning_rate=0.2)

    assert np.isclose(minimise(parts), 0.25 / 14.25, rtol=1e-3)
    assert masked.init(START) is not None
    assert named.init(START).hyperparams["learning_rate"] == np.float32(0.2)
    assert minimise(named) < 1e-3


def check_losses() -> None:
    logits, labels = jnp.array([[2.0, 0.0], [0.0, 2.0]]), jnp.array([0, 1])

    assert np.allclose(optax.softmax_cross_entropy_with_integer_labels(logits, labels), np.log1p(np.exp(-2.0)))
    assert np.allclose(optax.sigmoid_binary_cross_entropy(jnp.zeros(2), jnp.ones(2)), np.log(2))
    assert np.allclose(optax.huber_loss(jnp.array([0.5, 3.0]), jnp.zeros(2)), [0.125, 2.5])
    assert np.allclose(optax.cosine_similarity(jnp.ones(3), jnp.ones(3)), 1)


def check_averages_projections_and_contributions() -> None:
    average = optax.ema(0.9)
    found, _ = average.update(START, average.init(START))

    assert jax.tree.all(jax.tree.map(jnp.array_equal, found, START))
    assert np.isclose(optax.projections.projection_simplex(jnp.array([3.0, 1.0, -1.0])).sum(), 1)
    assert minimise(optax.contrib.prodigy(), steps=500) < 0.5
    assert minimise(optax.contrib.schedule_free_sgd(0.2, b1=0.9)) < 0.05
