"""What the database derives from a revision's manifest, for lists and for searches. In SQL, as PostgreSQL writes it."""

# Without what is long, so that a list of many problems reads little.
LISTING = (
    "manifest - ARRAY['statement', 'starter', 'parameters', 'returns', 'cases', 'tolerance', 'checkers', 'limits', "
    "'requirements', 'hints', 'quiz']"
)
# `lax.scan` and `grad_step` would be one word each.
_SEPARATORS = "_-./@<>&+="
# Of a statement; PostgreSQL bounds what a tsvector holds.
_CHARACTERS = 100_000
_WORDS = " || ' ' || ".join(f"coalesce(manifest ->> '{key}', '')" for key in ("tags", "frameworks", "entry_point"))
_TEXTS = {
    "A": "coalesce(manifest ->> 'title', '')",
    "B": _WORDS,
    "C": "coalesce(manifest ->> 'summary', '')",
    "D": f"left(coalesce(manifest ->> 'statement', ''), {_CHARACTERS})",
}
LANGUAGES = ("english", "simple")
# Both the stem of each word (gradients: gradient) and the word as it is, which a prefix finds too.
SEARCH = " || ".join(
    f"setweight(to_tsvector('{language}', translate({text}, '{_SEPARATORS}', '{' ' * len(_SEPARATORS)}')), '{weight}')"
    for weight, text in _TEXTS.items()
    for language in LANGUAGES
)
