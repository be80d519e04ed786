"""Mistake: replaces minus infinity by a large negative number, so a fully masked row gets equal probabilities. Such a row has the answer 0."""

import jax
import jax.numpy as jnp


def stable_softmax(logits, temperature):
    return jax.nn.softmax(jnp.where(jnp.isneginf(logits), -1e9, logits) / temperature, axis=1)
