"""Inputs for the cases: systems with a moderate condition number."""

import numpy as np


def system(seed, n, tolerance, max_steps, scale=1.0):
    """n equations; the eigenvalues lie between 1 and 30, times `scale`."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(n, n)))
    eigenvalues = scale * np.exp(rng.uniform(0.0, np.log(30.0), size=n))
    a = basis * eigenvalues @ basis.T
    return {"a": (a + a.T) / 2, "b": rng.normal(size=n), "tolerance": tolerance, "max_steps": max_steps}
