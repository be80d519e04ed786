def descent_step(w, x, y, lr):
    return w - lr * 2.0 / len(y) * (x.T @ (x @ w - y))
