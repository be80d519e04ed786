# mechanism: a program of the grid loops for ever
# verdict: time_limit_exceeded
# problem: tiled_product
# seconds: 2
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def multiply(x_ref, y_ref, o_ref):
    steps = jax.lax.while_loop(lambda step: step < 10, lambda step: (3 * step + 1) % 7, x_ref[0, 0].astype(jnp.int32))
    o_ref[...] = x_ref[...] @ y_ref[...] + steps


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        multiply,
        grid=(m // 16, n // 16),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 16), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)
