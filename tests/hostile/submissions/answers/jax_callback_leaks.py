# mechanism: hidden inputs carried out by the prints and the exception of a callback
# verdict: runtime_error
# problem: dense_layer
import jax
import jax.numpy as jnp


def tell(x):
    print("LEAK", x)
    raise ValueError(f"LEAK {x}")


@jax.jit
def dense_layer(x, w):
    jax.debug.print("LEAK {}", x)
    shape = jax.ShapeDtypeStruct((), jnp.float32)
    return jnp.tanh(x @ w) + jax.experimental.io_callback(tell, shape, x)
