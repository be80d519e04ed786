"""Gives the parts of the inner axis programs of their own, and adds up their int32 sums in a second kernel."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

B = 32


@jax.jit
def int8_matmul(a, b, a_scale, b_scale):
    m, n = a.shape[0], b.shape[1]
    parts = pl.next_power_of_2(pl.cdiv(a.shape[1], B))
    rows, columns = pl.cdiv(m, B), pl.cdiv(n, B)
    a = jnp.pad(a, [(0, rows * B - m), (0, parts * B - a.shape[1])])
    b = jnp.pad(b, [(0, parts * B - b.shape[0]), (0, columns * B - n)])

    def multiply(a_ref, b_ref, sum_ref):
        sum_ref[...] = jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.int32)

    def add_and_scale(sums_ref, s_ref, t_ref, c_ref):
        c_ref[...] = jnp.sum(sums_ref[...], axis=0) * s_ref[...] * t_ref[...]

    sums = pl.pallas_call(
        multiply,
        grid=(parts, rows, columns),
        in_specs=[pl.BlockSpec((B, B), lambda p, i, j: (i, p)), pl.BlockSpec((B, B), lambda p, i, j: (p, j))],
        out_specs=pl.BlockSpec((None, B, B), lambda p, i, j: (p, i, j)),
        out_shape=jax.ShapeDtypeStruct((parts, rows * B, columns * B), jnp.int32),
    )(a, b)
    scaled = pl.pallas_call(
        add_and_scale,
        grid=(rows, columns),
        in_specs=[
            pl.BlockSpec((parts, B, B), lambda i, j: (0, i, j)),
            pl.BlockSpec((B, 1), lambda i, j: (i, 0)),
            pl.BlockSpec((1, B), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((B, B), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows * B, columns * B), jnp.float32),
    )(sums, jnp.pad(a_scale, (0, rows * B - m))[:, None], jnp.pad(b_scale, (0, columns * B - n))[None, :])
    return scaled[:m, :n]
