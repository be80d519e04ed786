"""Mistake: normalises the sum of x and the branch; in a pre-norm block the normalisation stands before the dense
layers."""

from flax import linen as nn


class Block(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.gelu(nn.Dense(self.hidden, name="up")(x))
        return nn.LayerNorm(name="norm")(x + nn.Dense(x.shape[-1], name="down")(h))


def residual_block(params, x):
    return Block(params["up"]["bias"].shape[0]).apply({"params": params}, x)
