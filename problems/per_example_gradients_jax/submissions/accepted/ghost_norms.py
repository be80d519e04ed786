"""No per-example gradients: norms of outer products from one backward pass, then one of the weighted loss."""

import jax
import jax.numpy as jnp


@jax.jit
def clipped_mean_gradient(params, x, y, max_norm):
    def losses(params, shifts):
        h = jnp.tanh(x @ params["w1"] + params["b1"] + shifts[0])
        z = h @ params["w2"] + params["b2"] + shifts[1]
        return jax.nn.logsumexp(z, axis=1) - jnp.take_along_axis(z, y[:, None], axis=1)[:, 0], h

    # The gradient by a shift of 0 is the gradient by what it was added to: one row for each example.
    shifts = [jnp.zeros((len(y), params[name].shape[0])) for name in ("b1", "b2")]
    (back_1, back_2), h = jax.grad(lambda s: (losses(params, s)[0].sum(), losses(params, s)[1]), has_aux=True)(shifts)
    first = (back_1**2).sum(1) * (1 + (x**2).sum(1))
    second = (back_2**2).sum(1) * (1 + (h**2).sum(1))
    norms = jnp.sqrt(first + second)
    weights = jnp.where(norms > max_norm, max_norm / norms, 1.0) / len(y)
    return {"norms": norms, "mean": jax.grad(lambda p: weights @ losses(p, shifts)[0])(params)}
