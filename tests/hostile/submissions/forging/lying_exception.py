# mechanism: an exception whose text raises, and whose traceback is cut off
# verdict: runtime_error
class Lying(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise SystemExit(0)


def standardise(x, eps):
    raise Lying()
