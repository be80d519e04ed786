"""Data loaders and itertools; clipping of all parameters as one vector."""

from itertools import islice

import torch
import torch.nn.functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.utils.data import DataLoader


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    history = []
    for _ in range(epochs):
        batches = iter(DataLoader(data, batch_size=None, shuffle=False))
        while window := list(islice(batches, accumulation_steps)):
            model.zero_grad()
            examples = sum(y.shape[0] for _, y in window)
            loss = 0.0
            for x, y in window:
                part = F.nll_loss(F.log_softmax(model(x), dim=-1), y, reduction="sum") / examples
                part.backward()
                loss += part.item()
            gradient = torch.cat([p.grad.reshape(-1) for p in model.parameters()])
            if max_norm is not None and gradient.norm() > max_norm:
                gradient *= max_norm / gradient.norm()
            with torch.no_grad():
                vector_to_parameters(parameters_to_vector(model.parameters()) - lr * gradient, model.parameters())
            history.append(loss)
    return history
