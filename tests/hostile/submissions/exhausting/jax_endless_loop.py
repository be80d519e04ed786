# mechanism: an endless loop inside a compiled program, started and not waited for
# verdict: time_limit_exceeded
# problem: dense_layer
# seconds: 1
import jax
import jax.numpy as jnp


@jax.jit
def dense_layer(x, w):
    return jax.lax.while_loop(lambda x: jnp.all(x < 1e9), lambda x: x * 0, jnp.tanh(x @ w))
