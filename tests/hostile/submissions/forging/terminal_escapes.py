# mechanism: terminal escapes, HTML and direction marks in a message
# verdict: runtime_error
def standardise(x, eps):
    print("\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>\u202e\x00")
    raise ValueError("\x1b[2J<img src=x onerror=alert(1)>\u202e\x00\ud800")
