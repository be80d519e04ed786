import numpy as np


def two_layer_gradients(x, y, w1, b1, w2, b2):
    grads = {"x": np.empty_like(x)} | {n: np.zeros_like(v) for n, v in (("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2))}
    for i in range(x.shape[0]):
        z = x[i] @ w1 + b1
        h = z.clip(min=0)
        error = (h @ w2 + b2 - y[i]) / np.float32(x.shape[0])
        back = np.where(z > 0, w2 @ error, 0)
        grads["x"][i] = w1 @ back
        grads["w1"] += np.outer(x[i], back)
        grads["b1"] += back
        grads["w2"] += np.outer(h, error)
        grads["b2"] += error
    return grads
