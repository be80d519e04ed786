# mechanism: the frame of the first case's right answer sent again as the answer to every other
# verdict: wrong_answer
import sandbox.guest.student as student

first = []
encode = student._encode


def replayed(*arguments):
    first.append(encode(*arguments))
    return first[0]


student._encode = replayed


def standardise(x, eps):
    return (x - x.mean()) / (x.var() + eps) ** 0.5
