import jax
import jax.numpy as jnp


def nll(params, x, y):
    logits = jnp.matmul(x, params["kernel"]) + params["bias"]
    return -jnp.mean(jnp.sum(jax.nn.one_hot(y, logits.shape[-1]) * jax.nn.log_softmax(logits, axis=-1), axis=-1))


grad_fn = jax.jit(jax.grad(nll))


@jax.jit
def add(a, b):
    return {"kernel": a["kernel"] + b["kernel"], "bias": a["bias"] + b["bias"]}


@jax.jit
def descend(params, total, factor):
    return jax.tree.map(lambda p, t: p - factor * t, params, total)


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    outer, total = 0, None
    for t, (x, y) in enumerate(zip(x_micro, y_micro), start=1):
        g = grad_fn(params, x, y)
        total = g if total is None else add(total, g)
        if t % every_k == 0:
            rate = init_lr
            for at, scale in zip(boundaries, scales):
                rate *= scale if at <= outer else 1.0
            params = descend(params, total, rate / every_k)
            outer, total = outer + 1, None
    return params
