# mechanism: hidden inputs carried out in the text of an exception
# verdict: runtime_error
def standardise(x, eps):
    print("LEAK", x[:4])
    raise ValueError(f"LEAK {x[:4]}")
