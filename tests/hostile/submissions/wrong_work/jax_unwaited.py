# mechanism: work dispatched and not waited for, so that a clock inside sees none of it
# verdict: time_limit_exceeded
# problem: dense_layer
# seconds: 1
import jax
import jax.numpy as jnp


@jax.jit
def work(x):
    return jax.lax.fori_loop(0, 10**9, lambda _, a: jnp.sin(a), x)


def dense_layer(x, w):
    return jnp.tanh(x @ w) + 0 * work(x)[0, 0]
