# mechanism: streams in place of stdout and stderr that end the program when they are flushed
# verdict: wrong_answer
import os
import sys


class Lying:
    encoding = None

    def write(self, text):
        raise SystemExit(0)

    def flush(self):
        raise SystemExit(0)

    def __getattr__(self, name):
        raise KeyboardInterrupt


sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Lying()


def standardise(x, eps):
    return x * 0
