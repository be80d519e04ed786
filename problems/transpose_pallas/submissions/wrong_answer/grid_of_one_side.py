"""Mistake: takes the number of tiles of one axis for both; the matrix need not be square."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def transpose(x):
    m, n = x.shape

    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[...].T

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 4), pl.cdiv(m, 4)),
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((n, m), x.dtype),
    )(x)
