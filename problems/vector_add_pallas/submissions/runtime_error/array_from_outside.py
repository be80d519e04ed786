"""Mistake: the kernel uses an array of the function around it. A kernel gets arrays as arguments, with a block
each."""

import jax
from jax.experimental import pallas as pl


@jax.jit
def vector_add(x, y):
    blocks = pl.cdiv(len(x), 8)

    def kernel(x_ref, out_ref):
        out_ref[...] = x_ref[...] + y[:8]

    block = pl.BlockSpec((8,), lambda i: (i,))
    padded = jax.ShapeDtypeStruct((blocks * 8,), x.dtype)
    return pl.pallas_call(kernel, grid=(blocks,), in_specs=[block], out_specs=block, out_shape=padded)(x)
