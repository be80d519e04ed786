# mechanism: a timer that interrupts the program a million times a second
# verdict: time_limit_exceeded
# seconds: 0.4
import signal


def standardise(x, eps):
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
    while True:
        signal.sigpending()
