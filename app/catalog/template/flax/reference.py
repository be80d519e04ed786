from flax import linen as nn


class Network(nn.Module):
    width: int
    outputs: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width, name="hidden")(x))
        return nn.Dense(self.outputs, name="output")(x)


def two_layers(params, x):
    width, outputs = params["output"]["kernel"].shape
    return Network(width, outputs).apply({"params": params}, x)
