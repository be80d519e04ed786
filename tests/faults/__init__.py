"""Faults: a deployment judges while its parts are killed, frozen, slowed and cut off.

To add a fault:

1. Write a function with `@kind(…)` in `kinds.py`. It breaks something, waits and mends it again. It raises `NotNow` if
   there is nothing to break. `share` is how often it happens in a run of 500 faults, `quick` how often in `make test`.
2. Try it alone: `.venv/bin/python -m tests.faults --only "its name" --faults 50`. Nothing may be lost, doubled or
   wrong.
3. `.venv/bin/python -m tests.faults` runs all faults and prints the table for `docs/reliability.md`.
"""
