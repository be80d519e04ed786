"""Mistake: does not step at the end of an epoch; the leftover gradients stay and are mixed into the next epoch's first window."""

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    optimizer.zero_grad()
    history = []
    window_loss = 0.0
    for _ in range(epochs):
        for i, (x, y) in enumerate(data):
            loss = cross_entropy(model(x), y) / accumulation_steps
            loss.backward()
            window_loss += loss.item()
            if (i + 1) % accumulation_steps == 0:
                if max_norm is not None:
                    clip_grad_norm_(model.parameters(), max_norm)
                optimizer.step()
                optimizer.zero_grad()
                history.append(window_loss)
                window_loss = 0.0
    return history
