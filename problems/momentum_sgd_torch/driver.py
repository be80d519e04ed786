"""Make parameters with gradients, call the solution once for each step, and report what the tensors hold."""

import torch


def run(solution, inputs):
    params = [torch.nn.Parameter(value.clone()) for value in inputs["params"]]
    velocities = [value.clone() for value in inputs["velocities"]]
    updated = []
    for grads in inputs["grads"]:
        for p, grad, has_grad in zip(params, grads, inputs["has_grad"], strict=True):
            p.grad = grad.clone() if has_grad else None
        # Copies of the lists: an entry that is replaced there does not reach the model.
        count = solution(list(params), list(velocities), inputs["lr"], inputs["momentum"], inputs["nesterov"])
        updated.append(count)
    return {
        "updated": updated,
        "params": [p.detach().clone() for p in params],
        "velocities": velocities,
        "grads": [p.grad for p in params if p.grad is not None],
    }
