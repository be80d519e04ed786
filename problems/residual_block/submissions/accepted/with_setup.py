"""A Flax module whose layers are made in `setup`, with Flax's own defaults."""

from flax import linen as nn


class Block(nn.Module):
    sizes: tuple

    def setup(self):
        self.norm = nn.LayerNorm()
        self.up = nn.Dense(self.sizes[0])
        self.down = nn.Dense(self.sizes[1])

    def __call__(self, x):
        return self.down(nn.gelu(self.up(self.norm(x)))) + x


def residual_block(params, x):
    return Block(params["up"]["kernel"].shape[1:] + x.shape[1:]).apply({"params": params}, x)
