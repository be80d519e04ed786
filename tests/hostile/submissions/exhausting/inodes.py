# mechanism: empty files without end
# verdict: runtime_error
import itertools


def standardise(x, eps):
    for number in itertools.count():
        open(f"/tmp/{number}", "w").close()
