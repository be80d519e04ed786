"""Mistake: puts the filter's middle at place t, so it sees later numbers. A causal filter ends at place t."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


@functools.partial(jax.jit, static_argnames="block_size")
def causal_conv1d(x, w, block_size):
    """x: (C, T), w: (C, K); returns (C, T)."""
    channels, length = x.shape
    taps = w.shape[1]
    return pl.pallas_call(
        convolve_block,
        grid=(channels, pl.cdiv(length, block_size)),
        in_specs=[pl.BlockSpec((None, length), lambda c, i: (c, 0)), pl.BlockSpec((None, taps), lambda c, i: (c, 0))],
        out_specs=pl.BlockSpec((None, block_size), lambda c, i: (c, i)),
        out_shape=jax.ShapeDtypeStruct((channels, length), jnp.float32),
    )(x, w)


def convolve_block(x_ref, w_ref, y_ref):
    """x_ref: (T,), a whole channel; w_ref: (K,); y_ref: (block,)."""
    length, taps, block = x_ref.shape[0], w_ref.shape[0], y_ref.shape[0]
    places = pl.program_id(1) * block + jnp.arange(block)
    total = jnp.zeros(block, jnp.float32)
    for k in range(taps):
        sources = places - (taps - 1) // 2 + k
        is_inside = (sources >= 0) & (sources < length)
        total += w_ref[k] * plgpu.load(x_ref.at[sources], mask=is_inside, other=0.0)
    plgpu.store(y_ref, total, mask=places < length)
