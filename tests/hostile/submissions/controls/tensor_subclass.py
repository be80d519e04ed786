# mechanism: honest: a tensor subclass that counts its operations, gradients, a module, a parameter
# verdict: accepted
# problem: softmax
import torch


class Counting(torch.Tensor):
    count = 0

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.count += 1
        return super().__torch_function__(function, types, args, kwargs or {})


class Softmax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return torch.softmax(x * self.scale, dim=1)


def softmax(x):
    module = Softmax()
    answer = module(x.as_subclass(Counting))
    answer.square().sum().backward()
    assert module.scale.grad is not None and Counting.count
    return answer
