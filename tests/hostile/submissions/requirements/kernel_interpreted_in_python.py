# mechanism: `interpret` asks for the interpreter of TPUs, which calls back into Python
# verdict: requirement_not_met
# problem: tiled_product
import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu


def multiply(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        multiply,
        grid=(m // 16, n // 16),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 16), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        interpret=tpu.InterpretParams(),
    )(x, y)
