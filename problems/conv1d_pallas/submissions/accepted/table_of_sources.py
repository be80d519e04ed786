"""Loads a table of all places and taps at once, and sums along the taps. The blocks are the first axis of the grid."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames="block_size")
def causal_conv1d(x, w, block_size):
    (channels, length), taps = x.shape, w.shape[1]

    def kernel(x_ref, w_ref, y_ref):
        place = pl.program_id(0) * block_size + jnp.arange(block_size)
        tap = jnp.arange(pl.next_power_of_2(taps))
        source = place[:, None] + tap[None, :] - (taps - 1)
        is_used = (source >= 0) & (source < length) & (tap < taps)[None, :]
        numbers = plgpu.load(x_ref.at[source], mask=is_used, other=0.0)
        weights = plgpu.load(w_ref.at[tap], mask=tap < taps, other=0.0)
        plgpu.store(y_ref, jnp.sum(numbers * weights[None, :], axis=1), mask=place < length)

    return pl.pallas_call(
        kernel,
        grid=(pl.cdiv(length, block_size), channels),
        in_specs=[pl.BlockSpec((None, length), lambda i, c: (c, 0)), pl.BlockSpec((None, taps), lambda i, c: (c, 0))],
        out_specs=pl.BlockSpec((None, block_size), lambda i, c: (c, i)),
        out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32),
    )(x, w)
