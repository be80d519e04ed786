# mechanism: empty files without end
# verdict: runtime_error|time_limit_exceeded
# seconds: 0.4
import itertools


def standardise(x, eps):
    for number in itertools.count():
        open(f"/tmp/{number}", "w").close()
