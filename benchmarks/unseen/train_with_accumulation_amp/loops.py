import torch
import torch.nn.functional as F


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    optimizer = torch.optim.SGD(model.parameters(), lr)
    result = {"losses": [], "scales": []}
    for epoch in range(epochs):
        buffer = []
        for index in range(len(data)):
            buffer.append(data[index])
            if len(buffer) < accumulation_steps and index != len(data) - 1:
                continue
            model.zero_grad()
            count = sum([x.size(0) for x, y in buffer])
            total = 0.0
            for x, y in buffer:
                with torch.autocast(x.device.type):
                    logits = model(x)
                    nll = F.cross_entropy(logits, y, reduction="sum")
                scaler.scale(nll / count).backward()
                total = total + nll.item()
            scaler.unscale_(optimizer)
            if max_norm is not None:
                squares = 0.0
                for p in model.parameters():
                    squares += p.grad.double().pow(2).sum().item()
                norm = squares**0.5
                if norm > max_norm:
                    for p in model.parameters():
                        p.grad.mul_(max_norm / norm)
            scaler.step(optimizer)
            scaler.update()
            result["losses"].append(total / count)
            result["scales"].append(scaler.get_scale())
            buffer = []
    return result
