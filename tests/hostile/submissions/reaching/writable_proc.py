# mechanism: world-writable files of /proc: the timer slack of another process, the number of the last process
# verdict: accepted
import os


def refused(path, text):
    try:
        target = os.open(path, os.O_WRONLY)
    except OSError:
        return True
    try:
        os.write(target, text)
    except OSError:
        return True
    return False


def standardise(x, eps):
    others = {1, os.getppid(), os.getpid() - 1} - {os.getpid(), 0}
    assert all(refused(f"/proc/{number}/timerslack_ns", b"4000000000") for number in others)
    assert refused("/proc/sys/kernel/ns_last_pid", b"30000")
    assert refused("/proc/self/oom_score_adj", b"-1000")
    assert refused("/proc/self/clear_refs", b"5")
    assert refused("/proc/self/uid_map", b"0 65532 1")
    return (x - x.mean()) / (x.var() + eps) ** 0.5
