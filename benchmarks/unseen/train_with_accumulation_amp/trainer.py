"""A trainer class with an autocast object that it reuses."""

import torch
from torch import nn


class AmpTrainer:
    def __init__(self, model, lr, max_norm, scaler, device):
        self.model, self.scaler, self.max_norm = model, scaler, max_norm
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.loss = nn.CrossEntropyLoss(reduction="none")
        self.autocast = torch.autocast(device)

    def micro_step(self, x, y, n):
        with self.autocast:
            loss = self.loss(self.model(x), y).sum() / n
        self.scaler.scale(loss).backward()
        return loss.detach().float()

    def step(self, window):
        self.optimizer.zero_grad(set_to_none=True)
        n = sum(y.size(0) for _, y in window)
        loss = torch.stack([self.micro_step(x, y, n) for x, y in window]).sum()
        if self.max_norm is not None:
            self.scaler.unscale_(self.optimizer)
            grads = [p.grad for p in self.model.parameters()]
            nn.utils.clip_grads_with_norm_(self.model.parameters(), self.max_norm, nn.utils.get_total_norm(grads))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item(), self.scaler.get_scale()


def train_with_accumulation_amp(model, data, lr, epochs, accumulation_steps, max_norm, scaler):
    trainer = AmpTrainer(model, lr, max_norm, scaler, data[0][0].device.type)
    history = []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            history.append(trainer.step(data[start : start + accumulation_steps]))
    return {"losses": [loss for loss, _ in history], "scales": [scale for _, scale in history]}
