# mechanism: hidden inputs carried out by warnings, by the log, by stderr and by an exception's notes and cause
# verdict: runtime_error
import logging
import sys
import warnings


def standardise(x, eps):
    secret = f"LEAK {x[:3]}"
    warnings.warn(secret)
    logging.error(secret)
    sys.stderr.write(secret)
    error = ValueError(secret)
    error.add_note(secret)
    error.__cause__ = KeyError(secret)
    raise error
