def ridge_gradient(w, x, y, strength):
    return 2.0 * (x.T @ (x @ w - y)) / len(y) + 2.0 * strength * w
