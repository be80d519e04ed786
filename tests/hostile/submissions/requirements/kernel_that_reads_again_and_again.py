# mechanism: tiles of one column, so that every program reads a whole row of tiles again
# verdict: requirement_not_met
# problem: tiled_product
# message: expected at most 4 reads of x; found 32
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def multiply(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...] * y_ref[...].reshape(1, -1), axis=1, keepdims=True)


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        multiply,
        grid=(m // 16, n),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 1), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 1), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)
