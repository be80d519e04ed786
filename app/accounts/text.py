"""Text that PostgreSQL can keep."""


def is_storable(text: str) -> bool:
    """False for NUL and for lone surrogates, which JSON can carry and UTF-8 can't."""
    return "\0" not in text and text.encode(errors="ignore").decode() == text
