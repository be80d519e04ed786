# mechanism: more memory than there is, asked for by a compiled program
# verdict: memory_limit_exceeded
# problem: dense_layer
import jax
import jax.numpy as jnp


@jax.jit
def dense_layer(x, w):
    table = jnp.broadcast_to(x[0, 0] + jnp.arange(2**29, dtype=jnp.float32), (4, 2**29))
    return jnp.tanh(x @ w) + jnp.sort(table, axis=1)[:, :1].sum()
