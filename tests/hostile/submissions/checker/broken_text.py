# mechanism: NUL bytes and lone surrogates in keys and texts
# verdict: wrong_answer
def standardise(x, eps):
    return {"\0key\x1b[2J": ["\ud800", "\0"], "\udcff": x}
