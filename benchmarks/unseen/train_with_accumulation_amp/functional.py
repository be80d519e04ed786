import torch
from torch.func import functional_call
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_


def windows_of(data, size):
    return [data[i : i + size] for i in range(0, len(data), size)]


def weighted_loss(model, params, x, y, examples):
    with torch.autocast(x.device.type):
        return cross_entropy(functional_call(model, params, (x,)), y, reduction="sum") / examples


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    params = dict(model.named_parameters())
    optimizer = torch.optim.SGD(params.values(), lr=lr)
    losses, scales = [], []
    for window in windows_of(data, accumulation_steps) * epochs:
        examples = sum(len(y) for _, y in window)
        values = [weighted_loss(model, params, x, y, examples) for x, y in window]
        optimizer.zero_grad()
        scaler.scale(sum(values)).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            clip_grad_norm_(params.values(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        losses.append(sum(value.item() for value in values))
        scales.append(scaler.get_scale())
    return {"losses": losses, "scales": scales}
