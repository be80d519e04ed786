"""Mistake: masks only the padding, so a query sees later positions too; forbid every j above i."""

import numpy as np


def causal_attention(q, k, v, is_token):
    scores = q @ k.swapaxes(1, 2) / np.float32(np.sqrt(q.shape[2]))
    is_allowed = np.broadcast_to(is_token[:, None, :], scores.shape)
    return masked_softmax(scores, is_allowed) @ v


def masked_softmax(scores, is_allowed):
    scores = np.where(is_allowed, scores, np.float32(-1e30))
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * is_allowed
    return exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)
