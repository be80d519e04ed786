"""Scaled dot-product attention with a causal mask and a padding mask."""

import numpy as np

VERY_LOW = np.float32(-1e30)


def causal_attention(q, k, v, is_token):
    """q, k: (B, T, D), v: (B, T, E), is_token: (B, T) → (B, T, E)."""
    steps, width = q.shape[1:]
    scores = q @ k.swapaxes(1, 2) / np.float32(np.sqrt(width))  # (B, T, T): queries in rows, keys in columns
    is_causal = np.tril(np.ones((steps, steps), dtype=bool))
    return masked_softmax(scores, is_causal & is_token[:, None, :]) @ v


def masked_softmax(scores, is_allowed):
    """Softmax over the allowed entries of each row; a row without any is 0."""
    scores = np.where(is_allowed, scores, VERY_LOW)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * is_allowed
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.maximum(total, 1)  # a row with an allowed entry has exp(0) = 1 in its total
