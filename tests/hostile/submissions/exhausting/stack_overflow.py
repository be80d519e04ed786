# mechanism: the stack of C overflown
# verdict: runtime_error
import faulthandler


def standardise(x, eps):
    faulthandler._stack_overflow()
