"""Call the solution, and then its backward pass with the case's upstream gradient."""

import jax


def run(solution, inputs):
    def quantize(x, scale):
        return solution(x, scale, inputs["low"], inputs["high"])

    value, pull = jax.vjp(quantize, inputs["x"], inputs["scale"])
    gradient_x, gradient_scale = pull(inputs["upstream"])
    return {"value": value, "x": gradient_x, "scale": gradient_scale}
