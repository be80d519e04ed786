"""Mistake: counts what lies beyond the array in the last block. Clipped, it looks like a value; only its place tells that it is none."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames=("bins", "block_size"))
def histogram(x, bins, block_size):
    """x: (N,), whole numbers; returns the counts, (bins,)."""
    programs = pl.cdiv(len(x), block_size)
    rows = pl.pallas_call(
        count_block,
        grid=(programs,),
        in_specs=[pl.BlockSpec((block_size,), lambda i: (i,))],
        out_specs=pl.BlockSpec((None, bins), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((programs, bins), jnp.int32),
    )(x)
    return pl.pallas_call(
        functools.partial(add_rows, programs=programs),
        grid=(1,),
        in_specs=[pl.BlockSpec((pl.next_power_of_2(programs), bins), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((bins,), lambda i: (0,)),
        out_shape=jax.ShapeDtypeStruct((bins,), jnp.int32),
    )(rows)


def count_block(x_ref, counts_ref):
    """x_ref: (block,); counts_ref: (bins,)."""
    bins = counts_ref.shape[0]
    bin_of_value = jnp.clip(x_ref[...], 0, bins - 1)
    is_hit = bin_of_value[:, None] == jnp.arange(bins)[None, :]
    counts_ref[...] = jnp.sum(is_hit.astype(jnp.int32), axis=0)


def add_rows(rows_ref, counts_ref, *, programs):
    """rows_ref: (rows, bins), of which the first `programs` rows hold counts."""
    has_counts = jnp.arange(rows_ref.shape[0])[:, None] < programs
    counts_ref[...] = jnp.sum(plgpu.load(rows_ref, mask=has_counts, other=0), axis=0)
