# mechanism: right for small inputs only: overflows beyond
# verdict: wrong_answer
# problem: softmax
import torch


def softmax(x):
    return torch.exp(x) / torch.exp(x).sum(dim=1, keepdim=True)
