"""Gradient accumulation in PyTorch: every step is the step of one large batch made of the window's micro-batches."""

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    """data: list of (x: (M, D), y: (M,)); trains `model` in place and returns one loss per optimizer step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    history = []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            window = data[start : start + accumulation_steps]  # the last window of an epoch may be shorter
            optimizer.zero_grad()
            history.append(accumulate(model, window))
            if max_norm is not None:
                clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
    return history


def accumulate(model, window):
    """Add up in `.grad` the gradient of the mean loss over all examples of the window; returns that loss."""
    examples = sum(len(y) for _, y in window)
    window_loss = 0.0
    for x, y in window:
        loss = cross_entropy(model(x), y) * (len(y) / examples)
        loss.backward()  # frees this micro-batch's activations before the next one's are made
        window_loss += loss.item()
    return window_loss
