"""Call the solution, and then its backward pass with the case's upstream gradient."""

import torch


def run(solution, inputs):
    x, scale = (inputs[name].clone().requires_grad_() for name in ("x", "scale"))
    value = solution(x, scale, inputs["low"], inputs["high"])
    gradients = torch.autograd.grad(value, (x, scale), inputs["upstream"], materialize_grads=True)
    return {"value": value.detach(), "x": gradients[0], "scale": gradients[1]}
