"""Half kicks of neighbouring steps joined into whole ones; the decision compares logarithms."""

import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    q = position.copy()
    p = momentum - 0.5 * step_size * gradient(q)
    for remaining in reversed(range(leapfrog_steps)):
        q += step_size * (inverse_mass * p)
        p -= (1.0 if remaining else 0.5) * step_size * gradient(q)
    before = potential(position) + momentum @ (inverse_mass * momentum) / 2
    after = potential(q) + p @ (inverse_mass * p) / 2
    log_ratio = before - after
    acceptance = 1.0 if log_ratio >= 0 else float(np.exp(log_ratio))
    accepted = bool(uniform < acceptance)
    return {"position": np.where(accepted, q, position), "acceptance": acceptance, "accepted": accepted}
