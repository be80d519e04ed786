"""A chain of transformations as the inner optimizer of MultiSteps, driven by `lax.scan`."""

import jax
import optax


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    schedule = optax.piecewise_constant_schedule(init_lr, {b: s for b, s in zip(boundaries, scales)})
    inner = optax.chain(optax.identity(), optax.scale_by_learning_rate(schedule))
    optimizer = optax.MultiSteps(inner, every_k).gradient_transformation()

    def loss(params, x, y):
        return optax.softmax_cross_entropy_with_integer_labels(x @ params["kernel"] + params["bias"], y).mean()

    def body(carry, batch):
        params, state = carry
        updates, state = optimizer.update(jax.grad(loss)(params, *batch), state, params)
        return (optax.apply_updates(params, updates), state), None

    (trained, _), _ = jax.lax.scan(body, (params, optimizer.init(params)), (x_micro, y_micro))
    return trained
