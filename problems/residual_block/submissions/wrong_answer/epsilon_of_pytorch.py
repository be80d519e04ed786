"""Mistake: normalises with an epsilon of 1e-5, PyTorch's default; this block has 1e-6, which matters for small
variances."""

from flax import linen as nn


class Block(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm(epsilon=1e-5, name="norm")(x)
        h = nn.gelu(nn.Dense(self.hidden, name="up")(h))
        return x + nn.Dense(x.shape[-1], name="down")(h)


def residual_block(params, x):
    return Block(params["up"]["bias"].shape[0]).apply({"params": params}, x)
