# mechanism: memory from the allocator of a framework
# verdict: memory_limit_exceeded
# problem: softmax
import torch


def softmax(x):
    kept = []
    while True:
        kept.append(torch.ones(2**22))
