# mechanism: calls an operation of PyTorch in a thread
# verdict: requirement_not_met
# problem: softmax_by_hand
# message: found torch.softmax in line 11
from concurrent.futures import ThreadPoolExecutor

import torch


def softmax(x):
    return ThreadPoolExecutor(1).submit(torch.ops.aten._softmax, x, 1, False).result()
