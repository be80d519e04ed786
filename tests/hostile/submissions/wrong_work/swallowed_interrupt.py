# mechanism: every exception swallowed, so that nothing but a kill ends it
# verdict: time_limit_exceeded
# seconds: 0.4
def standardise(x, eps):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
