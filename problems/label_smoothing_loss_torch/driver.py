"""Call the solution with logits that require a gradient, and report the loss and that gradient."""


def run(solution, inputs):
    logits = inputs["logits"].clone().requires_grad_()
    loss = solution(logits, inputs["labels"], inputs["allowed"], inputs["smoothing"])
    loss.backward()
    return {"loss": loss.detach(), "grad": logits.grad}
