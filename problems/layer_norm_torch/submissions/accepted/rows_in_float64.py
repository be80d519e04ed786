"""All vectors as the rows of one matrix, with the arithmetic in float64."""

import torch


def layer_norm(x, gain, bias, eps):
    rows = x.reshape(-1, x.shape[-1]).to(torch.float64)
    centred = rows - rows.sum(1, keepdim=True) / rows.shape[1]
    length = torch.linalg.vector_norm(centred, dim=1, keepdim=True)
    answer = centred / torch.sqrt(length**2 / rows.shape[1] + eps) * gain + bias
    return answer.reshape(x.shape).to(x.dtype)
