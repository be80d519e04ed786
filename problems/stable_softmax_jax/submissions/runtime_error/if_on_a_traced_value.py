"""Mistake: branches in Python on a traced value. Under jax.jit it has no truth value; choose with jnp.where."""

import jax.numpy as jnp


def stable_softmax(logits, temperature):
    largest = logits.max(axis=1, keepdims=True)
    if jnp.isneginf(largest).any():
        return jnp.zeros_like(logits)
    powers = jnp.exp((logits - largest) / temperature)
    return powers / powers.sum(axis=1, keepdims=True)
