"""Mistake: returns the gradient where the problem asks for the weights after the step."""

def descent_step(w, x, y, lr):
    return 2.0 / len(y) * (x.T @ (x @ w - y))
