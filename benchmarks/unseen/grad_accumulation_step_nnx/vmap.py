import jax
import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)
    xs, ys = jnp.stack((x_a, x_b)), jnp.stack((y_a, y_b))

    @nnx.vmap(in_axes=(None, 0, 0), out_axes=0)
    def losses(model, x, y):
        return jnp.mean((model(x) - y) ** 2)

    grads = nnx.grad(lambda m: losses(m, xs, ys).mean())(model)
    optimizer.update(model, grads)
    return jnp.average(losses(model, xs, ys), keepdims=True)
