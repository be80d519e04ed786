"""A function with its own backward pass, which needs only the probabilities."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def softmax(z):
    allowed = z > -jnp.inf
    top = jnp.max(jnp.where(allowed, z, -3e38), axis=1, keepdims=True)
    powers = jnp.where(allowed, jnp.exp(jnp.where(allowed, z - top, 0.0)), 0.0)
    return powers / jnp.maximum(powers.sum(axis=1, keepdims=True), 1e-30)


def forward(z):
    p = softmax(z)
    return p, p


def backward(p, g):
    return (p * (g - jnp.sum(p * g, axis=1, keepdims=True)),)


softmax.defvjp(forward, backward)


def stable_softmax(logits, temperature):
    return softmax(logits / temperature)
