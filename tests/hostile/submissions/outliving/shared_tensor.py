# mechanism: a tensor moved into shared memory
# verdict: runtime_error
# problem: softmax
import torch


def softmax(x):
    return torch.softmax(x, dim=1).share_memory_()
