# mechanism: is the gradient of another function
# verdict: accepted
# problem: softmax_by_hand
import torch


def log_sum(x):
    return torch.exp(x).sum(1).log().sum()


def softmax(x):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(log_sum(x), x)[0]
