# mechanism: tensors that hold no dense values: sparse, quantized, nested, of the meta device
# verdict: wrong_answer
# problem: softmax
import torch


def softmax(x):
    answer = torch.softmax(x, dim=1)
    if len(x) == 2:
        return answer.to_sparse()
    if len(x) == 20:
        return torch.quantize_per_tensor(answer, 0.1, 0, torch.quint8)
    return [answer.to("meta"), torch.nested.nested_tensor([answer])]
