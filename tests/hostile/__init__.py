"""Hostile submissions, each judged in every kind of box.

To add one:

1. Write `submissions/GROUP/MECHANISM.py`, with a name that is unique over all groups. It begins with `# mechanism: …`
   and `# verdict: …`: one verdict, or two joined by `|` if the kind of box decides. Optional are `# problem:` (a
   package in `problems/`; the default is `standardise`), `# seconds:` (another time limit) and `# message:` (words that
   the student must be told).
2. Groups: `answers` (read secrets), `checker` (fool the comparison), `forging` (the answer channel), `outliving`,
   `exhausting`, `reaching` (host and network), `wrong_work`, `requirements`, and `controls`, which are honest.
3. A submission that smuggles something out writes the word `LEAK`. No report of a hidden case may contain it.
4. Afterwards `traces.py` compares the box with before, and the problem's canary must be accepted in the same pool.
   Effects on other students belong to `test_neighbours.py`, traces for a second student to `test_covert_state.py`.
5. If it finds a hole, add a test in `tests/sandbox/` for the wall that should have held.
"""
