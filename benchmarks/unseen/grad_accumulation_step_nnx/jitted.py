import jax
import jax.numpy as jnp
import optax
from flax import nnx


def mse(model, x, y):
    return jnp.mean(jnp.square(model(x) - y))


@nnx.jit
def grads_of(model, x, y):
    loss, grads = nnx.value_and_grad(mse)(model, x, y)
    return grads


@nnx.jit
def evaluate(model, x, y):
    return mse(model, x, y)


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)
    both = jax.tree.map(lambda p, q: (p + q) / 2.0, grads_of(model, x_a, y_a), grads_of(model, x_b, y_b))
    optimizer.update(model, both)
    return evaluate(model, jnp.vstack((x_a, x_b)), jnp.vstack((y_a, y_b))).reshape(-1)
