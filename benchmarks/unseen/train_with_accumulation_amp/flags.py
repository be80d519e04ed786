import torch
from torch.nn import functional as F


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    opt.zero_grad()
    losses, scales = [], []
    weights = [len(y) for _, y in data]
    window_total = [
        sum(weights[i - i % accumulation_steps : i - i % accumulation_steps + accumulation_steps])
        for i in range(len(data))
    ]
    for _ in range(epochs):
        loss_sum = torch.zeros(())
        for i, (inputs, targets) in enumerate(data):
            is_last = (i + 1) % accumulation_steps == 0 or i == len(data) - 1
            with torch.autocast(device_type=inputs.device.type):
                loss = F.cross_entropy(model(inputs), targets) * weights[i] / window_total[i]
            scaler.scale(loss).backward()
            loss_sum = loss_sum + loss.detach()
            if is_last:
                if max_norm is not None:
                    scaler.unscale_(opt)
                    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
                scaler.step(opt)
                scaler.update()
                opt.zero_grad()
                losses.append(loss_sum.item())
                scales.append(scaler.get_scale())
                loss_sum = torch.zeros(())
    return {"losses": losses, "scales": scales}
