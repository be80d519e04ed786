"""Mistake: reads the first row of tiles in every program; the index map for reading needs both numbers."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def transpose(x):
    m, n = x.shape

    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[...].T

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 4), pl.cdiv(n, 4)),
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((n, m), x.dtype),
    )(x)
