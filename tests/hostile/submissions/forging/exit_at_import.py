# mechanism: sys.exit(0) while the module loads
# verdict: runtime_error
import sys

sys.exit(0)


def standardise(x, eps):
    return x
