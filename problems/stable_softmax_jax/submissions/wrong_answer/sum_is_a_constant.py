"""Mistake: stops the gradient at the sum of the exponentials. The probabilities depend on it; only the shift may be held constant."""

import jax
import jax.numpy as jnp


def stable_softmax(logits, temperature):
    largest = jax.lax.stop_gradient(logits.max(axis=1, keepdims=True))
    powers = jnp.exp((logits - jnp.where(jnp.isneginf(largest), 0, largest)) / temperature)
    total = jax.lax.stop_gradient(powers.sum(axis=1, keepdims=True))
    return powers / jnp.where(total == 0, 1, total)
