import jax
import jax.numpy as jnp


def loss(kernel, bias, x, y):
    logits = x @ kernel + bias
    top = logits.max(axis=1, keepdims=True)
    log_sum = jnp.log(jnp.exp(logits - top).sum(axis=1)) + top[:, 0]
    return (log_sum - logits[jnp.arange(y.shape[0]), y]).mean()


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    kernel, bias = params["kernel"], params["bias"]
    lr = init_lr
    step = 0
    i = 0
    while i + every_k <= x_micro.shape[0]:
        for b, s in zip(boundaries, scales):
            if b == step:
                lr = lr * s
        g_kernel = jnp.zeros_like(kernel)
        g_bias = jnp.zeros_like(bias)
        for j in range(i, i + every_k):
            dk, db = jax.grad(loss, argnums=(0, 1))(kernel, bias, x_micro[j], y_micro[j])
            g_kernel = g_kernel + dk / every_k
            g_bias = g_bias + db / every_k
        kernel = kernel - lr * g_kernel
        bias = bias - lr * g_bias
        i += every_k
        step += 1
    return {"kernel": kernel, "bias": bias}
