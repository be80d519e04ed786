"""UTC times in form fields."""

from datetime import UTC, datetime

from app.errors import Invalid


def read_moment(field: str, text: str) -> datetime | None:
    """Read a time, or None from an empty field. A date means midnight. Raises Invalid."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        message = f"{text[:40]!r} is not a time; write it as 2026-01-31T09:00, in UTC"
        raise Invalid(field, message) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
