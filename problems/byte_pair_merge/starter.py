from collections import Counter


def byte_pair_merge(ids, n_merges, first_new_id):
    """Join the most frequent pair of neighbours, at most n_merges times.

    ids: list of N ints from 0 to first_new_id - 1, N at least 1
    n_merges: int, 1 or more
    first_new_id: int, the id of the first joined pair
    returns: {"tokens": list of ints, "merges": list of [first id, second id]}
    """
    raise NotImplementedError("replace this line with your solution")
