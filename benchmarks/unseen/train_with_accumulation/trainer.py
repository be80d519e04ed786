"""A trainer class with named parameter groups, norms of torch.linalg and foreach updates."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr, max_norm):
        self.model = model
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.SGD([{"params": self.params, "lr": lr}], momentum=0.0)
        self.loss = nn.CrossEntropyLoss(reduction="none")
        self.max_norm = max_norm

    def step(self, window):
        self.optimizer.zero_grad(set_to_none=True)
        n = sum(y.size(0) for _, y in window)
        losses = []
        for x, y in window:
            loss = self.loss(self.model(x), y).sum().div(n)
            loss.backward()
            losses.append(loss.detach())
        if self.max_norm is not None:
            norm = nn.utils.get_total_norm([p.grad for p in self.params])
            nn.utils.clip_grads_with_norm_(self.params, self.max_norm, norm)
        self.optimizer.step()
        return torch.stack(losses).sum().item()


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    trainer = Trainer(model, lr, max_norm)
    starts = range(0, len(data), accumulation_steps)
    return [trainer.step(data[s : s + accumulation_steps]) for _ in range(epochs) for s in starts]
