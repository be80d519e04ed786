# mechanism: honest: torch.compile with the backend aot_eager
# verdict: accepted
# problem: softmax
# seconds: 10
import torch


@torch.compile(backend="aot_eager", dynamic=True)
def softmax(x):
    shifted = x - x.max(dim=1, keepdim=True).values
    return shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)
