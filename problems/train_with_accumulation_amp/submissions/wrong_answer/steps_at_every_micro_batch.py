"""Mistake: steps and updates the scaler at every micro-batch instead of at the end of each window."""

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses, scales = [], []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            window = data[start : start + accumulation_steps]
            examples = sum(len(y) for _, y in window)
            window_loss = 0.0
            optimizer.zero_grad()
            for x, y in window:
                with torch.autocast(x.device.type):
                    loss = cross_entropy(model(x), y) * (len(y) / examples)
                scaler.scale(loss).backward()
                window_loss += loss.item()
                if max_norm is not None:
                    scaler.unscale_(optimizer)
                    clip_grad_norm_(model.parameters(), max_norm)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
            losses.append(window_loss)
            scales.append(scaler.get_scale())
    return {"losses": losses, "scales": scales}
