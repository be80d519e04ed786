"""Mistake: does not use the temperature. Divide the logits by it."""

import jax
import jax.numpy as jnp


def stable_softmax(logits, temperature):
    has_class = jnp.any(logits > -jnp.inf, axis=1, keepdims=True)
    harmless = jnp.where(has_class, logits, 0.0)
    return jnp.where(has_class, jax.nn.softmax(harmless, axis=1), 0.0)
