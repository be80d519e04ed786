"""Other ways to compute the reference, by which `problem verify` measures the noise of right answers.

Each file has `call(run, solution, inputs)`, which replaces the plain call in a box, for at most 4 CPU seconds a case.
To add a way, write such a file, and add a row to `MANNERS` in `app/verification/noise.py` and its name to
`tests/verification/test_ways.py`: same answer up to rounding.
"""

from pathlib import Path


def read_way(name: str) -> str:
    """Return the source of a way, for `app.engine.batch`."""
    return Path(__file__).with_name(f"{name}.py").read_text()
