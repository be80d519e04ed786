# mechanism: the code objects and closures of the guest's own functions replaced
# verdict: wrong_answer
import gc
import types

import sandbox.guest.student as student


def always(*anything):
    return b"A", b"ACV1T"


student._encode.__code__ = always.__code__
for function in gc.get_objects():
    if isinstance(function, types.FunctionType) and "guest" in (function.__module__ or ""):
        for cell in function.__closure__ or ():
            if isinstance(cell.cell_contents, types.FunctionType):
                cell.cell_contents = lambda *args, **kwargs: True


def standardise(x, eps):
    return x * 0
