"""Two updates with .at[].set, both from the old features."""

import jax.numpy as jnp


def rotary_embedding(x, positions, base):
    width = x.shape[2]
    angles = positions[:, None] / jnp.power(base, jnp.arange(0, width, 2) / width)
    cosine, sine = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    even, odd = x[:, :, 0::2], x[:, :, 1::2]
    y = x.at[:, :, 0::2].set(even * cosine - odd * sine)
    return y.at[:, :, 1::2].set(even * sine + odd * cosine)
