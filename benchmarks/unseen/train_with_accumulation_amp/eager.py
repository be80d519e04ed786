import torch
import torch.nn as nn


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses = []
    scales = []
    device = data[0][0].device.type
    for epoch in range(epochs):
        i = 0
        while i < len(data):
            window = data[i : i + accumulation_steps]
            n = 0
            for _, y in window:
                n += y.shape[0]
            optimizer.zero_grad()
            running = 0.0
            for x, y in window:
                with torch.autocast(device_type=device):
                    outputs = model(x)
                    loss = criterion(outputs, y) * y.shape[0] / n
                scaler.scale(loss).backward()
                running += loss.detach().item()
            if max_norm is not None:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=max_norm)
            scaler.step(optimizer)
            scaler.update()
            losses.append(running)
            scales.append(scaler.get_scale())
            i += accumulation_steps
    return {"losses": losses, "scales": scales}
