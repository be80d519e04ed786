import torch
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    opt = torch.optim.SGD(model.parameters(), lr)

    def example(params, x, y):
        loss = cross_entropy(functional_call(model, params, (x[None],)), y[None])
        return loss, loss

    per_example = vmap(grad(example, has_aux=True), in_dims=(None, 0, 0))
    losses = []
    for _ in range(epochs):
        for i in range(0, len(data), accumulation_steps):
            params = {name: p.detach() for name, p in model.named_parameters()}
            seen, total = 0, 0.0
            for p in model.parameters():
                p.grad = torch.zeros_like(p)
            for x, y in data[i : i + accumulation_steps]:
                grads, values = per_example(params, x, y)
                for name, p in model.named_parameters():
                    p.grad += grads[name].sum(0)
                total += values.sum().item()
                seen += len(y)
            for p in model.parameters():
                p.grad /= seen
            if max_norm is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            opt.step()
            losses.append(total / seen)
    return losses
