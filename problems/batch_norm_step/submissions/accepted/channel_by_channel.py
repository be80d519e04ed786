"""A loop over the channels that uses NumPy's mean and variance."""

import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    y = np.empty_like(x)
    new_mean, new_var = running_mean.copy(), running_var.copy()
    for c in range(x.shape[1]):
        channel = x[:, c]
        y[:, c] = (channel - channel.mean()) / np.sqrt(channel.var() + eps) * gain[c] + bias[c]
        new_mean[c] = np.average([running_mean[c], channel.mean()], weights=[1 - momentum, momentum])
        new_var[c] = np.average([running_var[c], channel.var(ddof=1)], weights=[1 - momentum, momentum])
    return {"y": y, "running_mean": new_mean, "running_var": new_var}
