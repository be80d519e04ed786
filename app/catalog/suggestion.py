"""Guessing what a mistyped word was to be."""

from collections.abc import Iterable
from difflib import get_close_matches

MAX_LENGTH = 80


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean tolerance?`, or nothing when no known word is near."""
    if len(word) > MAX_LENGTH:
        return ""
    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {matches[0]}?" if matches else ""
