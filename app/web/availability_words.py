"""The names of a problem's availability, and what each means for students."""

from dataclasses import dataclass

from app.catalog.model import Availability
from app.web.messages import gettext as _


@dataclass(frozen=True, slots=True)
class AvailabilityWords:
    """`notice` is for the problem's page; a listed problem has none."""

    name: str
    meaning: str
    notice: str = ""


def availability_words(availability: Availability) -> AvailabilityWords:
    """Return the words in the reader's language."""
    match availability:
        case "draft":
            return AvailabilityWords(
                _("Draft"),
                _("Only authors can open it and submit."),
                _("This problem is a draft. Only authors can see it."),
            )
        case "unlisted":
            return AvailabilityWords(
                _("Unlisted"),
                _("It is in no list. Everyone who knows the address can open it and submit."),
                _("This problem is unlisted. You can open it by its address only."),
            )
        case "withdrawn":
            return AvailabilityWords(
                _("Withdrawn"),
                _("Everyone can still read it. It is in no list and takes no submissions."),
                _("This problem is withdrawn and takes no new submissions. Your submissions and progress are kept."),
            )
        case _:
            return AvailabilityWords(_("Listed"), _("It is in the catalogue and in its track."))
