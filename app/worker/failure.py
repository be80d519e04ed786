"""Why a job failed, as it is kept for admins."""

import traceback
from textwrap import indent

from app.worker.lease import REASON_CHARACTERS

LINE_CHARACTERS = 300


def describe(error: Exception) -> str:
    """Its class and what it says in a line, by which alike ones are found; then the end of its traceback, set in.

    What an error says over several lines can so not look like a line of another attempt's.
    """
    said = str(error).strip().partition("\n")[0]
    line = f"{type(error).__name__}: {said}"[:LINE_CHARACTERS]
    whole = indent("".join(traceback.format_exception(error)), "  ").rstrip()
    return f"{line}\n{whole[-(REASON_CHARACTERS - len(line) - 1) :]}"
