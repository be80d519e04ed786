# mechanism: output without end and without a newline
# verdict: output_limit_exceeded
import os


def standardise(x, eps):
    while True:
        os.write(1, b"x" * 65536)
