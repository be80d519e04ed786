# mechanism: honest: an exception group, with notes and a cause
# verdict: runtime_error
# message: two mistakes
def standardise(x, eps):
    error = ExceptionGroup("two mistakes", [ValueError("one"), KeyError("two")])
    error.add_note("a note")
    raise error from ZeroDivisionError("the cause")
