"""Mistake: turns each tile and writes it where it was read; tiles change places, too."""

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
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((n, m), x.dtype),
    )(x)
