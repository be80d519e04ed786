"""Compile the solution once, and take one step for each tree of gradients."""

import jax
import jax.numpy as jnp


def run(solution, inputs):
    take_step = jax.jit(solution)
    numbers = [jnp.float32(inputs[name]) for name in ("lr", "beta1", "beta2", "eps", "weight_decay")]
    params = inputs["params"]
    m = jax.tree.map(jnp.zeros_like, params)
    v = jax.tree.map(jnp.zeros_like, params)
    state = {"params": params, "m": m, "v": v}
    for step, grads in enumerate(inputs["grads"], start=1):
        state = take_step(state["params"], state["m"], state["v"], grads, jnp.int32(step), *numbers)
    return state
