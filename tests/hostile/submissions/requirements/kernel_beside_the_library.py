# mechanism: a kernel copies an input, and the library multiplies
# verdict: requirement_not_met
# problem: tiled_product
# message: a kernel, but also dot_general outside of it
import jax
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def copied(x):
    blocks = pl.BlockSpec((16, 32), lambda i: (i, 0))
    return pl.pallas_call(
        copy, grid=(x.shape[0] // 16,), in_specs=[blocks], out_specs=blocks, out_shape=jax.typeof(x)
    )(x)


def tiled_product(x, y):
    return copied(x) @ copied(y)
