"""A pre-norm residual block as a Flax module, applied to given parameters."""

from flax import linen as nn


class ResidualBlock(nn.Module):
    """(N, D) → (N, D), with `hidden` units in the branch."""

    hidden: int

    @nn.compact
    def __call__(self, x):
        h = nn.LayerNorm(epsilon=1e-6, use_fast_variance=False, name="norm")(x)
        h = nn.Dense(self.hidden, name="up")(h)
        h = nn.gelu(h, approximate=True)
        h = nn.Dense(x.shape[-1], name="down")(h)
        return x + h


def residual_block(params, x):
    """params: {"norm", "up", "down"}, x: (N, D); returns (N, D)."""
    block = ResidualBlock(hidden=params["up"]["bias"].shape[0])
    return block.apply({"params": params}, x)
