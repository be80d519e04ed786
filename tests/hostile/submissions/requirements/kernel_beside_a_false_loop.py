# mechanism: the lowering for a processor is replaced by one that multiplies beside a loop that only moves blocks
# verdict: requirement_not_met
# problem: tiled_product
# message: a kernel on a processor has dot_general beside the loop over its grid
import jax
from jax import lax
from jax._src.interpreters import mlir
from jax._src.pallas.pallas_call import pallas_call_p
from jax.experimental import pallas as pl


def lowered(context, *arrays, **_):
    return mlir.lower_fun(multiply_beside, multiple_results=True)(context, *arrays)


def multiply_beside(x, y):
    def step(_, arrays):
        return tuple(lax.dynamic_update_slice(each, each[:16, :16], (0, 0)) for each in arrays)

    x, y, _ = lax.fori_loop(0, x.shape[0] * y.shape[1] // 256, step, (x, y, x))
    return [x @ y]


mlir.register_lowering(pallas_call_p, lowered, platform="cpu")


def copy(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[:, :16]


def tiled_product(x, y):
    (m, k), n = x.shape, y.shape[1]
    return pl.pallas_call(
        copy,
        grid=(m // 16, n // 16),
        in_specs=[pl.BlockSpec((16, k), lambda i, j: (i, 0)), pl.BlockSpec((k, 16), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)
