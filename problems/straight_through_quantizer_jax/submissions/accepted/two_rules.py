"""A custom rule for the rounding alone; the clipping is a choice whose derivative is 1 at the limits."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def round_straight_through(x):
    return jnp.rint(x)


round_straight_through.defvjp(lambda x: (jnp.rint(x), None), lambda _, upstream: (upstream,))


def fake_quantize(x, scale, low, high):
    r = x / scale
    limited = jnp.select([r < low, r > high], [jnp.full_like(r, low), jnp.full_like(r, high)], r)
    return round_straight_through(limited) * scale
