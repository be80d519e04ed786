"""Mistake: normalises each column; the numbers of a row must sum to 1."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def row_softmax(x):
    def kernel(x_ref, out_ref):
        powers = jnp.exp(x_ref[...] - jnp.max(x_ref[...], axis=0))
        out_ref[...] = powers / jnp.sum(powers, axis=0)

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
