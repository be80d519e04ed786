# mechanism: shapes without values, a typed key, a function in place of an array
# verdict: wrong_answer
# problem: dense_layer
import jax
import jax.numpy as jnp


def dense_layer(x, w):
    shape = jax.eval_shape(lambda a, b: jnp.tanh(a @ b), x, w)
    return [shape, jax.random.key(0), jax.jit(jnp.tanh)]
