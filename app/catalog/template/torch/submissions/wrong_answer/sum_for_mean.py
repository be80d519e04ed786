"""Mistake: sums the squared errors over the examples where the problem asks for the mean."""

def descent_step(w, x, y, lr):
    return w - lr * 2.0 * (x.T @ (x @ w - y))
