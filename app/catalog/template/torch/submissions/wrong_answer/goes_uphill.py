"""Mistake: adds the gradient where it must be subtracted."""

def descent_step(w, x, y, lr):
    return w + lr * 2.0 / len(y) * (x.T @ (x @ w - y))
