"""The network as a pytree class, MultiSteps as a plain transformation around a chain."""

import jax
import jax.numpy as jnp
import optax
from jax.tree_util import register_pytree_node_class


@register_pytree_node_class
class Network:
    def __init__(self, w1, b1, w2, b2):
        self.leaves = (w1, b1, w2, b2)

    def __call__(self, x):
        w1, b1, w2, b2 = self.leaves
        return jnp.matmul(jnp.tanh(jnp.matmul(x, w1) + b1), w2) + b2

    def tree_flatten(self):
        return self.leaves, None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


def multisteps_fit(params, x_micro, y_micro, every_k, lr):
    hidden, output = params["hidden"], params["output"]
    net = Network(hidden["kernel"], hidden["bias"], output["kernel"], output["bias"])
    inner = optax.chain(optax.clip_by_global_norm(1e9), optax.scale(-lr))
    tx = optax.MultiSteps(inner, every_k_schedule=lambda step: every_k).gradient_transformation()
    state = tx.init(net)

    @jax.jit
    def step(net, state, x, y):
        targets = jax.nn.one_hot(y, output["bias"].size)
        grads = jax.grad(lambda n: optax.softmax_cross_entropy(n(x), targets).mean())(net)
        updates, state = tx.update(grads, state, net)
        return optax.apply_updates(net, updates), state

    for x, y in zip(x_micro, y_micro):
        net, state = step(net, state, x, y)
    w1, b1, w2, b2 = net.leaves
    return {"hidden": {"kernel": w1, "bias": b1}, "output": {"kernel": w2, "bias": b2}}
