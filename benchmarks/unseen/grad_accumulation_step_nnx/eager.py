import jax
import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)

    def loss_fn(model, x, y):
        pred = model(x)
        err = pred - y
        return jnp.sum(err * err) / (y.shape[0] * y.shape[1])

    loss_a, g_a = nnx.value_and_grad(loss_fn)(model, x_a, y_a)
    loss_b, g_b = nnx.value_and_grad(loss_fn)(model, x_b, y_b)
    g = jax.tree_util.tree_map(lambda a, b: 0.5 * (a + b), g_a, g_b)
    optimizer.update(model, g)
    loss = loss_fn(model, jnp.concatenate((x_a, x_b), axis=0), jnp.concatenate((y_a, y_b), axis=0))
    return jnp.expand_dims(loss, axis=0)
