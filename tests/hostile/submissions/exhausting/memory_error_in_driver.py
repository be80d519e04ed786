# mechanism: a MemoryError raised in the driver, out of an answer that is still on its way
# verdict: memory_limit_exceeded
# problem: softmax
import torch


def full(*_):
    raise MemoryError


def softmax(x):
    torch.Tensor.__eq__ = full
    return torch.softmax(x, dim=1)
