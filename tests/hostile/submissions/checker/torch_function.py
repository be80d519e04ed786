# mechanism: a tensor subclass that answers through __torch_function__
# verdict: wrong_answer
# problem: softmax
import torch


class Lying(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True

    def __eq__(self, other):
        return True

    def numpy(self):
        raise SystemExit(0)

    @property
    def dtype(self):
        return torch.complex32


def softmax(x):
    return torch.zeros_like(x).as_subclass(Lying)
