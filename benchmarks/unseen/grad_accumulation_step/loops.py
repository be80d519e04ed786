import jax
import jax.numpy as jnp
from flax import linen as nn


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(features=1)
    params = model.init(jax.random.key(seed), x_batches[0])["params"]

    def loss_fn(params, x, y):
        y_hat = model.apply({"params": params}, x)
        return ((y_hat[:, 0] - y) ** 2).mean()

    n = x_batches.shape[0]
    total = {"kernel": jnp.zeros_like(params["kernel"]), "bias": jnp.zeros_like(params["bias"])}
    for i in range(n):
        grads = jax.grad(loss_fn)(params, x_batches[i], y_batches[i])
        for name in total:
            total[name] = total[name] + grads[name]

    new_params = {}
    for name in params:
        new_params[name] = params[name] - lr * (total[name] / n)

    loss = 0.0
    for i in range(n):
        loss += loss_fn(new_params, x_batches[i], y_batches[i])
    return jnp.asarray([loss / n])
