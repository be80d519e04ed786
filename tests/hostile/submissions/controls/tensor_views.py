# mechanism: honest: conjugated, transposed and expanded views, inference mode, threads, a checkpoint saved and loaded
# verdict: accepted
# problem: softmax
from concurrent.futures import ThreadPoolExecutor

import torch


def softmax(x):
    with torch.inference_mode(), ThreadPoolExecutor(2) as pool:
        torch.save({"x": x}, "/tmp/checkpoint.pt")
        x = torch.load("/tmp/checkpoint.pt")["x"]
        answer = pool.submit(torch.softmax, x.T.contiguous(), 0).result().T
        return torch.complex(answer, torch.zeros_like(answer)).conj().real
