"""torch.amp.autocast as a decorator, data loaders and itertools."""

from itertools import islice

import torch
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    forward = torch.amp.autocast(data[0][0].device.type)(lambda x: model(x))
    report = []
    for _ in range(epochs):
        batches = iter(DataLoader(data, batch_size=None, shuffle=False))
        while window := list(islice(batches, accumulation_steps)):
            examples = sum(y.shape[0] for _, y in window)
            loss = 0.0
            for x, y in window:
                part = F.nll_loss(F.log_softmax(forward(x).float(), dim=-1), y, reduction="sum") / examples
                scaler.scale(part).backward()
                loss += part.item()
            if max_norm is not None:
                scaler.unscale_(optimizer)
                clip_grad_norm_(model.parameters(), max_norm)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            report.append((loss, scaler.get_scale()))
    losses, scales = zip(*report)
    return {"losses": list(losses), "scales": list(scales)}
