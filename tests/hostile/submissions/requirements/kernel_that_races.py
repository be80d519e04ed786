# mechanism: programs along an axis of the grid add to the same tile, which only works one after the other
# verdict: runtime_error
# problem: tiled_product
# message: programs (0, 0, 0) and (0, 0, 1) of the grid both write block (0, 0) of output 0
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def multiply(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _begin():
        o_ref[...] = jnp.zeros(o_ref.shape, o_ref.dtype)

    o_ref[...] += x_ref[...] @ y_ref[...]


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        multiply,
        grid=(m // 16, n // 16, k // 16),
        in_specs=[pl.BlockSpec((16, 16), lambda i, j, k: (i, k)), pl.BlockSpec((16, 16), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)
