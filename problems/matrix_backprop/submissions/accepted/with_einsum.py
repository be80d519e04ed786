import numpy as np


def two_layer_gradients(x, y, w1, b1, w2, b2):
    h = np.einsum("nd,dh->nh", x, w1) + b1
    h[h < 0] = 0
    gp = np.einsum("nh,hk->nk", h, w2) + b2 - y
    gp /= x.shape[0]
    gz = np.einsum("nk,hk,nh->nh", gp, w2, np.sign(h))
    return {
        "x": np.einsum("nh,dh->nd", gz, w1),
        "w1": np.einsum("nd,nh->dh", x, gz),
        "b1": np.einsum("nh->h", gz),
        "w2": np.einsum("nh,nk->hk", h, gp),
        "b2": np.einsum("nk->k", gp),
    }
