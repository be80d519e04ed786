# mechanism: a wrapper that dispatches every operation on it to code of its own, different each time
# verdict: wrong_answer|runtime_error
# problem: softmax
import torch


class Wrapper(torch.Tensor):
    count = 0

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        cls.count += 1
        return torch.full((2, 3), float(cls.count))


def softmax(x):
    return Wrapper(x)
