import jax
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of softmax regression on one micro-batch. x: (M, D), y: (M,) -> scalar."""
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    table = {}
    for i in range(len(boundaries)):
        table[boundaries[i]] = scales[i]
    schedule = optax.piecewise_constant_schedule(init_value=init_lr, boundaries_and_scales=table)
    optimizer = optax.MultiSteps(optax.sgd(learning_rate=schedule), every_k_schedule=every_k)
    state = optimizer.init(params)
    for i in range(len(x_micro)):
        loss, gradients = jax.value_and_grad(mean_loss)(params, x_micro[i], y_micro[i])
        updates, state = optimizer.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
    return params
