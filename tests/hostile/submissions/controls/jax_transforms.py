# mechanism: honest: vmap, scan, grad, a callback, a pytree and prints from inside a compiled program
# verdict: accepted
# problem: dense_layer
import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial


@jax.jit
def dense_layer(x, w):
    jax.debug.print("x: {}", x)
    product = jax.vmap(Partial(jnp.matmul), in_axes=(0, None))(x, w)
    _, doubled = jax.lax.scan(lambda carry, row: (carry, row * 2), 0.0, product)
    shape = jax.ShapeDtypeStruct(doubled.shape, doubled.dtype)
    halved = jax.pure_callback(lambda a: np.asarray(a) / np.float32(2), shape, doubled)
    slope = jax.grad(lambda scale: (scale * product).sum())(1.0)
    return jnp.tanh(halved) + 0 * slope
