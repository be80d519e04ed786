"""Mistake: normalises without scale and bias; the parameters under `norm` belong to the normalisation."""

from flax import linen as nn


class Block(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm(use_scale=False, use_bias=False)(x)
        h = nn.gelu(nn.Dense(self.hidden, name="up")(h))
        return x + nn.Dense(x.shape[-1], name="down")(h)


def residual_block(params, x):
    return Block(params["up"]["bias"].shape[0]).apply({"params": {"up": params["up"], "down": params["down"]}}, x)
