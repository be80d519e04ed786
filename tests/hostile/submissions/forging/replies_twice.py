# mechanism: every answer sent twice
# verdict: runtime_error
import sandbox.guest.student as student

once = student._send


def twice(token, kind, content):
    once(token, kind, content)
    if kind == b"A":
        once(token, kind, content)


student._send = twice


def standardise(x, eps):
    return (x - x.mean()) / (x.var() + eps) ** 0.5
