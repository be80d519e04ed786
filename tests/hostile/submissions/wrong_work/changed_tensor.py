# mechanism: the input overwritten by operations in place; the answer itself is right
# verdict: wrong_answer
# problem: softmax
def softmax(x):
    x -= x.max(dim=1, keepdim=True).values
    x.exp_()
    x /= x.sum(dim=1, keepdim=True)
    return x
