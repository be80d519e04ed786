"""One flat loop with a flag at each window's end; the scaled loss is divided by the window's number of examples after scaling."""

import torch
from torch import nn


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    criterion = nn.CrossEntropyLoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    sizes = [len(y) for _, y in data]
    losses, scales, total = [], [], 0.0
    for _ in range(epochs):
        for i, (x, y) in enumerate(data):
            first = i - i % accumulation_steps
            examples = sum(sizes[first : first + accumulation_steps])
            with torch.autocast(device_type=x.device.type):
                loss = criterion(model(x), y)
            (scaler.scale(loss) / examples).backward()
            total += loss.item()
            if (i + 1) % accumulation_steps == 0 or i + 1 == len(data):
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), max_norm if max_norm is not None else float("inf"))
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad(set_to_none=True)
                losses.append(total / examples)
                scales.append(scaler.get_scale())
                total = 0.0
    return {"losses": losses, "scales": scales}
