"""Mistake: reshapes the matrix; that keeps the order of the numbers, and a transposition changes it."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def transpose(x):
    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[...].reshape(out_ref.shape)

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape[::-1], x.dtype))(x)
