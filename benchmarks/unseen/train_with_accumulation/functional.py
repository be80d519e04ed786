import torch
import torch.nn.functional as F
from torch.func import functional_call, grad_and_value


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    params = {name: p.detach().clone() for name, p in model.named_parameters()}

    def summed_loss(params, x, y):
        return F.cross_entropy(functional_call(model, params, (x,)), y, reduction="sum")

    history = []
    for _ in range(epochs):
        for start in range(0, len(data), accumulation_steps):
            window = data[start : start + accumulation_steps]
            n = sum(y.numel() for _, y in window)
            results = [grad_and_value(summed_loss)(params, x, y) for x, y in window]
            grads = {k: torch.stack([g[k] for g, _ in results]).sum(0) / n for k in params}
            if max_norm is not None:
                norm = torch.linalg.vector_norm(torch.cat([g.flatten() for g in grads.values()]))
                scale = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
                grads = {k: g * scale for k, g in grads.items()}
            params = {k: p - lr * grads[k] for k, p in params.items()}
            history.append(float(sum(value for _, value in results)) / n)
    model.load_state_dict(params)
    return history
