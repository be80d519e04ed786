import jax
import jax.numpy as jnp


def hessian_vector_product(w, v, x, y, l2):
    def loss(w):
        residuals = jnp.tanh(x @ w) - y
        return residuals @ residuals / (2 * len(y)) + l2 * jnp.sum(w * w) / 2

    return jax.grad(lambda w: jnp.vdot(jax.grad(loss)(w), v))(w)
