"""Mistake: ignores max_norm, so that large gradients are not clipped."""

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    history = []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            window = data[start : start + accumulation_steps]
            examples = sum(len(y) for _, y in window)
            window_loss = 0.0
            optimizer.zero_grad()
            for x, y in window:
                loss = cross_entropy(model(x), y) * (len(y) / examples)
                loss.backward()
                window_loss += loss.item()
            optimizer.step()
            history.append(window_loss)
    return history
