# mechanism: a program so long that compiling it takes for ever
# verdict: time_limit_exceeded
# problem: dense_layer
# seconds: 1
import jax
import jax.numpy as jnp


@jax.jit
def dense_layer(x, w):
    for number in range(100_000):
        x = jnp.sin(x) * number + x.T.reshape(x.shape)
    return jnp.tanh(x @ w)
