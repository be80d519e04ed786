import torch
from torch.nn.functional import cross_entropy


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    """Train with plain SGD under autocast, one scaler.step for every window of `accumulation_steps` micro-batches.

    model:              torch.nn.Module with float32 weights, maps (M, D) to logits (M, C); train it in place
    data:               list of B micro-batches (x, y): x (M, D) float32, y (M,) int64; the last may be smaller
    lr:                 float, learning rate
    epochs:             int, how often to go through `data`, always in the same order
    accumulation_steps: int, micro-batches in one window; the last window of an epoch may have fewer
    max_norm:           float, or None for no clipping: the largest norm of the true (unscaled) gradient
    scaler:             torch.amp.GradScaler, ready for use

    Returns {"losses": list of floats, "scales": list of floats}, one entry of each for every window:
    the window's mean loss before the step, and scaler.get_scale() after the update.
    """
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses, scales = [], []
    for _ in range(epochs):
        for x, y in data:
            # Right for one micro-batch. Make it accumulate a window first, and clip.
            with torch.autocast(x.device.type):
                loss = cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
            scales.append(scaler.get_scale())
    return {"losses": losses, "scales": scales}
