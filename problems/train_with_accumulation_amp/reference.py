"""Gradient accumulation under automatic mixed precision: autocast per micro-batch, the scaler once per window."""

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    """data: list of (x: (M, D), y: (M,)); trains `model` in place, returns {"losses": [...], "scales": [...]}."""
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses, scales = [], []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            window = data[start : start + accumulation_steps]  # the last window of an epoch may be shorter
            optimizer.zero_grad()
            losses.append(accumulate(model, window, scaler))
            if max_norm is not None:
                scaler.unscale_(optimizer)  # max_norm applies to true gradients, not to scaled ones
                clip_grad_norm_(model.parameters(), max_norm)
            scaler.step(optimizer)  # unscales if not done yet; skips the step when a gradient is not finite
            scaler.update()
            scales.append(scaler.get_scale())
    return {"losses": losses, "scales": scales}


def accumulate(model, window, scaler):
    """Add up in `.grad` the scaled gradient of the mean loss over the window's examples; returns that loss."""
    examples = sum(len(y) for _, y in window)
    window_loss = 0.0
    for x, y in window:
        with torch.autocast(x.device.type):  # bfloat16 on a CPU, float16 on a GPU
            loss = cross_entropy(model(x), y) * (len(y) / examples)
        scaler.scale(loss).backward()  # outside autocast: backward runs each operation in its forward dtype
        window_loss += loss.item()
    return window_loss
