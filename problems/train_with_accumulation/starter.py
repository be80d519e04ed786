import torch
from torch.nn.functional import cross_entropy


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    """Train with plain SGD, one optimizer step for every window of `accumulation_steps` micro-batches.

    model:              torch.nn.Module, maps (M, D) float32 to logits (M, C); train it in place
    data:               list of B micro-batches (x, y): x (M, D) float32, y (M,) int64; the last may be smaller
    lr:                 float, learning rate
    epochs:             int, how often to go through `data`, always in the same order
    accumulation_steps: int, micro-batches in one window; the last window of an epoch may have fewer
    max_norm:           float, or None for no clipping: the largest gradient norm that a step may use

    Returns the loss history: a list of floats, one for each optimizer step.
    """
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    history = []
    for _ in range(epochs):
        for x, y in data:
            # This steps at every micro-batch. Make it accumulate a window first.
            loss = cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.item())
    return history
