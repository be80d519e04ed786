"""Only the network runs under autocast, the loss on float32 logits; true gradients are kept apart in float32 buffers."""

import torch
import torch.nn.functional as F


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    parameters = list(model.parameters())
    windows = [data[i : i + accumulation_steps] for i in range(0, len(data), accumulation_steps)]
    report = {"losses": [], "scales": []}
    for window in windows * epochs:
        shares = torch.tensor([float(len(y)) for _, y in window])
        shares /= shares.sum()
        total = [torch.zeros_like(p) for p in parameters]
        window_loss = 0.0
        for (x, y), share in zip(window, shares.tolist()):
            with torch.autocast(x.device.type):
                logits = model(x)
            loss = F.cross_entropy(logits.float(), y)
            for buffer, gradient in zip(total, torch.autograd.grad(scaler.scale(loss), parameters)):
                buffer.add_(gradient, alpha=share)
            window_loss += share * loss.item()
        for p, gradient in zip(parameters, total):
            p.grad = gradient
        if max_norm is not None:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        scaler.step(optimizer)
        scaler.update()
        report["losses"].append(window_loss)
        report["scales"].append(scaler.get_scale())
    return report
