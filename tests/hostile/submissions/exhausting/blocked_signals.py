# mechanism: a busy loop with every signal blocked and ignored
# verdict: time_limit_exceeded
# seconds: 0.4
import signal

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def standardise(x, eps):
    while True:
        pass
