"""The slope along the direction gives the step length; conjugacy to the last direction gives the next one."""

import numpy as np


def conjugate_gradients(a, b, tolerance, max_steps):
    x, gradient = np.zeros_like(b), -b
    direction = b.copy()
    norms = [float(np.linalg.norm(gradient))]
    steps = 0
    while steps < max_steps and not norms[-1] <= tolerance:
        curved = a.dot(direction)
        curvature = direction.dot(curved)
        length = -gradient.dot(direction) / curvature
        x = x + length * direction
        gradient = gradient + length * curved
        direction = gradient.dot(curved) / curvature * direction - gradient
        norms.append(float(np.linalg.norm(gradient)))
        steps += 1
    return {"x": x, "residual_norms": np.asarray(norms)}
