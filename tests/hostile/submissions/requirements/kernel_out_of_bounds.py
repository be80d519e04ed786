# mechanism: a grid of one row of tiles too many, whose writes the interpreter would move onto the last row
# verdict: runtime_error
# problem: tiled_product
# message: of the grid has block (2, 0) of input 0, which has (2, 1) blocks
import jax
from jax.experimental import pallas as pl


def multiply(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        multiply,
        grid=(m // 16 + 1, n // 16),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 16), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)
