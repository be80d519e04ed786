import torch
import torch.nn.functional as F
from torch.autograd.functional import vhp


def hessian_vector_product(w, v, x, y, l2):
    return vhp(lambda w: F.mse_loss(torch.tanh(x @ w), y) / 2 + w @ w * (l2 / 2), w, v)[1]
