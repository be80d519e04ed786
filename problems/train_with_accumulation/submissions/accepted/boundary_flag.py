"""One flat loop with a flag at each window's end; summed loss divided by the window's examples; mean reduction never used."""

import torch
from torch import nn


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    criterion = nn.CrossEntropyLoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    history, total, seen = [], 0.0, 0
    optimizer.zero_grad()
    for _ in range(epochs):
        for i, (x, y) in enumerate(data):
            loss = criterion(model(x), y)
            loss.backward()
            total += loss.item()
            seen += len(y)
            if (i + 1) % accumulation_steps == 0 or i + 1 == len(data):
                for parameter in model.parameters():
                    parameter.grad /= seen
                if max_norm is not None:
                    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
                optimizer.step()
                optimizer.zero_grad()
                history.append(total / seen)
                total, seen = 0.0, 0
    return history
