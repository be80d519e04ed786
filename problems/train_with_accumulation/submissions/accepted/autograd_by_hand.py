"""No optimizer and no `.grad`: torch.autograd.grad, gradients added in a list, clipping and SGD written out."""

import torch
import torch.nn.functional as F


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    parameters = list(model.parameters())
    windows = [data[i : i + accumulation_steps] for i in range(0, len(data), accumulation_steps)]
    history = []
    for window in windows * epochs:
        share = [len(y) / sum(len(labels) for _, labels in window) for _, y in window]
        mean = [torch.zeros_like(p) for p in parameters]
        value = 0.0
        for (x, y), weight in zip(window, share):
            loss = F.cross_entropy(model(x), y)
            for total, gradient in zip(mean, torch.autograd.grad(loss, parameters)):
                total += weight * gradient
            value += weight * loss.item()
        norm = torch.sqrt(sum((g**2).sum() for g in mean))
        factor = 1.0 if max_norm is None else min(1.0, max_norm / float(norm))
        with torch.no_grad():
            for p, gradient in zip(parameters, mean):
                p -= lr * factor * gradient
        history.append(value)
    return history
