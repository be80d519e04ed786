# mechanism: a module that never finishes loading
# verdict: time_limit_exceeded
while True:
    pass
