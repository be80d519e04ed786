"""The right matrix, in memory row after row, or column after column."""


def b(b_values, is_transposed):
    return b_values.T.contiguous().T if is_transposed else b_values.clone()
