# mechanism: a framework told to use a thousand threads
# verdict: runtime_error
# problem: softmax
import torch


def softmax(x):
    torch.set_num_threads(1000)
    a = torch.rand(1000, 1000)
    while True:
        a = torch.sin(a @ a)
