"""Measurements: `make bench` writes `results.json`, `docs/plots/` and the generated section of `docs/performance.md`.

To add a performance claim:

1. Write a function in `verdicts.py`, `load.py` or another module of `make bench` that returns `Figure`s (`results.py`).
   It measures the real thing with its own server (`service.py`). `versus` names the figure to divide by; `--check`
   compares that ratio. A new `what` gets a line in `SUBJECTS` of `report.py`.
2. Try it with `make bench ARGS="--quick --only load"`, which writes to `build/bench/`.
3. On a quiet machine, `make bench ARGS="--only load"` measures that part anew. Commit what it writes. Numbers stand in
   the generated section only.
4. Before and after an optimization, run `make bench ARGS="--check --only verdicts"`.

`unseen/` has six right solutions for each of seven problems. No warm-up knows them, so keep them out of `problems/`.
"""
