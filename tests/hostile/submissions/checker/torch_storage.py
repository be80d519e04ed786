# mechanism: a tensor whose storage is smaller than its shape says
# verdict: wrong_answer|runtime_error
# problem: softmax
import torch


def softmax(x):
    answer = torch.softmax(x, dim=1)
    answer.untyped_storage().resize_(0)
    return answer
