"""Mistake: forgets the factor 2 of the differentiated penalty."""

def ridge_gradient(w, x, y, strength):
    return 2.0 * (x.T @ (x @ w - y)) / len(y) + strength * w
