"""Corrects typing errors in a search that finds nothing.

A word that no problem has is replaced by the nearest word of titles, tags, summaries and names of functions, or by
words that are written as one: "layer norm" for "layernorm". Nearness is the number of edits: a letter added, left out
or replaced, or two neighbours swapped (optimal string alignment, Damerau 1964). The words are few, so this needs no
extension of PostgreSQL.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA
from sqlalchemy import Subquery, exists, select
from sqlalchemy.orm import Session

from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.search import WORD, ProblemFilters, count_problems, list_words, matches

# Shorter words are near to too many others.
LEAST_LETTERS = 4
# A word of so many letters may have two errors, a shorter one has one.
LONG = 6
MAX_LETTERS = 30


def forgive(session: Session, filters: ProblemFilters, states: Subquery | None = None) -> ProblemFilters | None:
    """Return the filters with corrected words if only these find a problem, else None."""
    if not filters.q or count_problems(session, filters, states):
        return None
    words = correct(session, filters.q)
    if words is None:
        return None
    corrected = replace(filters, q=words)
    return corrected if count_problems(session, corrected, states) else None


def correct(session: Session, text: str) -> str | None:
    """Return the words with unknown ones replaced, or None if no unknown word is near to a known one."""
    words = [word.lower() for word in list_words(text)]
    unknown = _list_unknown(session, words)
    if not unknown:
        return None
    vocabulary = _read_vocabulary(session)
    nearest = {word: found for word in unknown if (found := find_nearest(word, vocabulary)) is not None}
    return " ".join(nearest.get(word, word) for word in words) if nearest else None


def find_nearest(word: str, vocabulary: Counter[str]) -> str | None:
    """Return the word with the fewest edits, then the most frequent one, or None if all are too far."""
    if not LEAST_LETTERS <= len(word) <= MAX_LETTERS:
        return None
    most = 2 if len(word) >= LONG else 1
    near = [
        (edits, -count, known)
        for known, count in vocabulary.items()
        if (edits := OSA.distance(word, known.replace(" ", ""), score_cutoff=most)) <= most
    ]
    return min(near)[2] if near else None


def _list_unknown(session: Session, words: Sequence[str]) -> list[str]:
    """List the words that no listed problem has, not even as a prefix."""
    found = [exists(select(Problem.id).join(Revision, IS_CURRENT).where(IS_LISTED, matches([word]))) for word in words]
    known = session.execute(select(*found)).one() if found else ()
    return [word for word, is_known in zip(words, known, strict=True) if not is_known]


def _read_vocabulary(session: Session) -> Counter[str]:
    """Count how many listed problems have each word."""
    listings = session.scalars(select(Revision.listing).join(Problem, IS_CURRENT).where(IS_LISTED))
    return Counter(word for listing in listings for word in set(_words_of(listing)))


def _words_of(listing: dict[str, object]) -> Iterator[str]:
    for key in ("title", "summary", "tags", "frameworks", "entry_point", "track"):
        words = WORD.findall(str(listing.get(key) or "").replace("_", " ").lower())
        yield from (word for word in words if len(word) >= LEAST_LETTERS)
        if key in ("title", "entry_point"):
            for count in (2, 3):
                yield from (" ".join(words[at : at + count]) for at in range(len(words) - count + 1))
