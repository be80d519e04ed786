"""Mistake: uses the exact GELU; this block has the tanh formula, the default of `flax.linen.gelu`."""

from flax import linen as nn


class Block(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm(name="norm")(x)
        h = nn.gelu(nn.Dense(self.hidden, name="up")(h), approximate=False)
        return x + nn.Dense(x.shape[-1], name="down")(h)


def residual_block(params, x):
    return Block(params["up"]["bias"].shape[0]).apply({"params": params}, x)
