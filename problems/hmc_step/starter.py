import numpy as np


def hmc_step(potential, gradient, position, momentum, uniform, inverse_mass, step_size, leapfrog_steps):
    """One step of Hamiltonian Monte Carlo.

    potential:      function of an array (D,); returns a float, possibly inf
    gradient:       function of an array (D,); returns the gradient of the potential, (D,)
    position:       (D,) float64, the current state
    momentum:       (D,) float64, drawn for this step
    uniform:        float, at least 0 and below 1
    inverse_mass:   (D,) float64, above 0
    step_size:      float, above 0
    leapfrog_steps: int, at least 1

    Returns {"position": (D,) float64, "acceptance": float, "accepted": bool}.
    """
    raise NotImplementedError("replace this line with your solution")
