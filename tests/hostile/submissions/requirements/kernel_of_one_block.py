# mechanism: one program gets both matrices whole
# verdict: requirement_not_met
# problem: tiled_product
# message: expected blocks of at most 11 KiB for each program; found 12 KiB
import jax
from jax.experimental import pallas as pl


def multiply(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


def tiled_product(x, y):
    out_shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return pl.pallas_call(multiply, out_shape=out_shape)(x, y)
