"""Reads whole blocks, and chooses zeros where the vectors have ended."""

from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, out_ref, *, n):
    place = 8 * pl.program_id(0) + jnp.arange(8)
    out_ref[...] = jnp.where(place < n, x_ref[...] + y_ref[...], 0)


@jax.jit
def vector_add(x, y):
    (n,) = x.shape
    programs = (n + 7) // 8
    spec = pl.BlockSpec((8,), lambda i: (i,))
    return pl.pallas_call(
        partial(kernel, n=n),
        grid=(programs,),
        in_specs=[spec, spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct((8 * programs,), jnp.float32),
    )(x, y)
