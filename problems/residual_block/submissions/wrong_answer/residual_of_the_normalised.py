"""Mistake: adds the branch to the normalised vectors; the residual path carries x itself."""

from flax import linen as nn


class Block(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        x = nn.LayerNorm(name="norm")(x)
        h = nn.gelu(nn.Dense(self.hidden, name="up")(x))
        return x + nn.Dense(x.shape[-1], name="down")(h)


def residual_block(params, x):
    return Block(params["up"]["bias"].shape[0]).apply({"params": params}, x)
