"""Times in a course's time zone: read what a form says, show it again, and move it by whole weeks.

Once a year the clocks go back and an hour happens twice; once a year an hour does not exist. Such a time is asked
about, never guessed.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.validation import YEARS

WRITTEN = "%Y-%m-%dT%H:%M"
SHOWN = "%Y-%m-%d %H:%M"


class HappensTwice(Invalid):
    """The clocks go back at this time. `offsets`: the first and the second time, as in `+02:00`."""

    def __init__(self, field: str, local: datetime, offsets: tuple[str, str]) -> None:
        super().__init__(
            field,
            f"{local:{SHOWN}} happens twice, since the clocks go back. "
            f"Choose the first (UTC{offsets[0]}) or the second (UTC{offsets[1]}).",
        )
        self.offsets = offsets


def read_local(field: str, text: str, timezone: str, offset: str = "") -> datetime | None:
    """Read a local time of a form; None from an empty field. `offset` says which of two times is meant.

    Raises Invalid, and HappensTwice without the offset of one of the two.
    """
    if not text.strip():
        return None
    local = _parse(field, text)
    if local.tzinfo is not None:
        return local.astimezone(UTC)
    first, second = (local.replace(tzinfo=ZoneInfo(timezone), fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    if first.astimezone(UTC).astimezone(ZoneInfo(timezone)).replace(tzinfo=None) != local:
        raise Invalid(
            field, f"{local:{SHOWN}} does not exist in {timezone}, since the clocks go forward. {_way_out(first)}"
        )
    for moment in (first, second):
        if _write_offset(moment) == offset:
            return moment.astimezone(UTC)
    raise HappensTwice(field, local, (_write_offset(first), _write_offset(second)))


def _parse(field: str, text: str) -> datetime:
    try:
        local = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Invalid(field, f"{text[:40]!r} is not a time. Write it as 2026-01-31T09:00.") from None
    if local.year not in YEARS:
        raise Invalid(field, f"{local:{SHOWN}} is not in the years {YEARS[0]} to {YEARS[-1]}. Choose another time.")
    return local


def _way_out(missing: datetime) -> str:
    """`missing`: a time that does not exist. Return a sentence with the time that the clocks show instead."""
    shown = missing.astimezone(UTC).astimezone(missing.tzinfo)
    return f"Choose {shown:{SHOWN}}, or an earlier time."


def _write_offset(moment: datetime) -> str:
    return moment.isoformat()[-6:]


def write_local(moment: datetime | None, timezone: str) -> str:
    """Return the value of a form's field."""
    return moment.astimezone(ZoneInfo(timezone)).strftime(WRITTEN) if moment else ""


def write_fold(moment: datetime | None, timezone: str) -> str:
    """Return the offset that `read_local` needs for this moment, or an empty text if its local time happens once."""
    if moment is None:
        return ""
    local = moment.astimezone(ZoneInfo(timezone))
    other = local.replace(fold=1 - local.fold)
    return _write_offset(local) if local.utcoffset() != other.utcoffset() else ""


def show_local(moment: datetime, timezone: str) -> str:
    """Return the local time with weekday and zone, as in `Mon 2026-10-12 23:59 CEST`."""
    return moment.astimezone(ZoneInfo(timezone)).strftime("%a %Y-%m-%d %H:%M %Z")


def move_by_weeks(moment: datetime, weeks: int, timezone: str) -> datetime:
    """Return the moment with the same local time on the same weekday, `weeks` later.

    A time that does not exist then becomes the one that the clocks show instead. Of two, it is the first.
    """
    zone = ZoneInfo(timezone)
    local = moment.astimezone(zone).replace(tzinfo=None) + timedelta(weeks=weeks)
    return local.replace(tzinfo=zone).astimezone(UTC)
