"""Mistake: reverses the columns of each tile in place of turning it."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def transpose(x):
    m, n = x.shape

    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[:, :][:, ::-1]

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(m, 4), pl.cdiv(n, 4)),
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((4, 4), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((n, m), x.dtype),
    )(x)
