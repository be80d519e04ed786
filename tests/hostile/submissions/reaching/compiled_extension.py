# mechanism: an extension compiled and loaded, and a model fetched
# verdict: runtime_error
# problem: softmax
import torch
from torch.utils.cpp_extension import load_inline


def softmax(x):
    if len(x) > 5:
        return torch.hub.load("owner/model", "softmax")
    return load_inline("fast", "int softmax() { return 1; }", functions=["softmax"])
