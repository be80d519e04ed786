# mechanism: an exception that lies about its class, and ends the program when it is asked
# verdict: runtime_error
import os


class Lying(Exception):
    @property
    def __class__(self):
        os._exit(0)


def standardise(x, eps):
    raise Lying
