"""Softmax over rows that is safe forward and backward: no step ever sees an undefined number."""

import jax.numpy as jnp


def stable_softmax(logits, temperature):
    """logits: (N, K), -inf for masked classes; returns (N, K)."""
    largest = logits.max(axis=1, keepdims=True)
    shift = jnp.where(jnp.isneginf(largest), 0, largest)  # a row without an allowed class
    powers = jnp.exp((logits - shift) / temperature)
    total = powers.sum(axis=1, keepdims=True)
    return powers / jnp.where(total == 0, 1, total)
