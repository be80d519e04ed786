# mechanism: an array that was donated, and is deleted when it is read
# verdict: runtime_error
# problem: dense_layer
import jax.numpy as jnp


def dense_layer(x, w):
    answer = jnp.tanh(x @ w)
    answer.delete()
    return answer
