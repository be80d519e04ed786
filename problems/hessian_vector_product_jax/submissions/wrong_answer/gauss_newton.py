"""Mistake: multiplies with the Gauss-Newton matrix, which leaves out the curvature of the model; the Hessian also has the residuals times second derivatives."""

import jax
import jax.numpy as jnp


def hessian_vector_product(w, v, x, y, l2):
    _, change = jax.jvp(lambda w: jnp.tanh(x @ w), (w,), (v,))
    _, pull = jax.vjp(lambda w: jnp.tanh(x @ w), w)
    return pull(change)[0] / len(y) + l2 * v
