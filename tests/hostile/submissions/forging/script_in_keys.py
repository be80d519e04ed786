# mechanism: markup, escapes and direction marks in the keys and texts of an answer
# verdict: wrong_answer
def standardise(x, eps):
    return {"<script>alert(1)</script>": "\x1b]0;owned\x07", "\u202e{{ config }}": "</td><img src=x onerror=alert(1)>"}
