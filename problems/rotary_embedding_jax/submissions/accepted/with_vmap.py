"""Rotates one vector with complex numbers, and maps that over heads and positions."""

import jax
import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    def rotate(vector, position):
        pairs = vector.reshape(-1, 2)
        angles = position * base ** (-2.0 * jnp.arange(len(pairs)) / len(vector))
        turned = jax.lax.complex(pairs[:, 0], pairs[:, 1]) * jnp.exp(1j * angles)
        return jnp.stack([turned.real, turned.imag], axis=1).ravel()

    over_heads = jax.vmap(rotate, in_axes=(0, None))
    return jax.vmap(over_heads)(x, positions)
