"""Mistake: the places beyond the last column take part in the maximum and in the sum. They are undefined; fill them
with a number that changes neither."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@jax.jit
def row_softmax(x):
    rows, columns = x.shape
    width = pl.next_power_of_2(columns)

    def kernel(x_ref, out_ref):
        mask = jnp.arange(width) < columns
        row = x_ref[:]
        powers = jnp.exp(row - row.max())
        plgpu.store(out_ref.at[:], powers / powers.sum(), mask=mask)

    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    read, write = (pl.BlockSpec((None, width), place) for place in (lambda i: (i, 0), lambda i: (i, 0)))
    return pl.pallas_call(kernel, grid=(rows,), in_specs=[read], out_specs=write, out_shape=shape)(x)
