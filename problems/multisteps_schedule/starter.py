import jax
import optax


def mean_loss(params, x, y):
    """Mean cross-entropy of softmax regression on one micro-batch. x: (M, D), y: (M,) -> scalar."""
    logits = x @ params["kernel"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    """Train with SGD under a piecewise-constant learning rate, one update for every `every_k` micro-batches.

    params:     {"kernel": (D, C), "bias": (C,)}, float32
    x_micro:    (T, M, D) float32, T micro-batches of M examples
    y_micro:    (T, M) int32, class numbers from 0 to C - 1
    every_k:    int, micro-batches in one window
    init_lr:    float, the learning rate of outer step 0
    boundaries: list of int, the outer steps (counted from 0) at which the learning rate changes
    scales:     list of float, the factors by which it is multiplied there

    Returns the trained parameters: a dict of the same shape as `params`.
    """
    # This trains at a constant rate. Make the rate follow the schedule, outer step by outer step.
    optimizer = optax.MultiSteps(optax.sgd(init_lr), every_k_schedule=every_k)

    @jax.jit
    def micro_step(params, state, x, y):
        gradients = jax.grad(mean_loss)(params, x, y)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in zip(x_micro, y_micro, strict=True):
        params, state = micro_step(params, state, x, y)
    return params
