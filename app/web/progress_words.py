"""What the page says of a submission that is on its way, and of where its time went."""

from dataclasses import dataclass

from app.submissions.phase import Phase, PhaseName
from app.submissions.view import SubmissionView, Wait
from app.web.messages import gettext as _
from app.web.messages import ngettext

WARM_SECONDS = 0.05  # no box starts in so short a time


@dataclass(frozen=True, slots=True)
class Step:
    """`name` is the phase's, for its colour. `start` and `width`: in the bar of all, in percent.

    `seconds` is None where it goes on, or was broken off: then it `is_over`.
    """

    name: PhaseName
    words: str
    seconds: float | None
    start: float = 0.0
    width: float = 0.0
    is_over: bool = True


def list_steps(view: SubmissionView) -> list[Step]:
    """In the order in which they happened."""
    total = sum(phase.seconds or 0.0 for phase in view.phases)
    steps, start = [], 0.0
    for phase in view.phases:
        width = 100 * (phase.seconds or 0.0) / total if total else 0.0
        is_over = phase.seconds is not None or view.state == "done"
        steps.append(Step(phase.name, _words(phase), phase.seconds, round(start, 2), round(width, 2), is_over))
        start += width
    return steps


def queue_sentence(wait: Wait) -> str:
    if wait.ahead:
        place = ngettext(
            "%(count)s submission is taken before yours.", "%(count)s submissions are taken before yours.", wait.ahead
        ) % {"count": wait.ahead}
    else:
        place = _("Yours is the next one.")
    if wait.seconds is None:
        return place
    return f"{place} {_('Its verdict should be here in %(time)s.') % {'time': estimate_text(wait.seconds)}}"


def progress_sentence(view: SubmissionView) -> str:
    done, expected = len(view.cases), len(view.case_names)
    what = _("%(done)s of %(expected)s cases done.") % {"done": done, "expected": expected} if done else _now(view)
    if done and view.phases and view.phases[-1].name == "waiting":
        what = f"{what} {_now(view)}"
    left = view.wait.seconds if view.wait else None
    return what if left is None else f"{what} {_('%(time)s left.') % {'time': _capital(estimate_text(left))}}"


def estimate_text(seconds: float) -> str:
    """As coarse as it is known."""
    if seconds < 5:
        return _("less than 5 s")
    if seconds < 60:
        return _("about %(count)s s") % {"count": 5 * round(seconds / 5)}
    if seconds < 3600:
        return _("about %(count)s min") % {"count": round(seconds / 60)}
    return _("more than an hour")


def _now(view: SubmissionView) -> str:
    phase = view.phases[-1] if view.phases else None
    return f"{_words(phase)}." if phase is not None and phase.name != "queued" else _("Starting.")


def _words(phase: Phase) -> str:
    match phase.name:
        case "queued":
            return _("In the queue")
        case "preparing":
            return _("Preparing the cases")
        case "box" if phase.seconds is not None and phase.seconds < WARM_SECONDS:
            return _("Taking a warm box")
        case "box":
            return _("Starting a box")
        case "running":
            return _("Running your code")
        case "inspecting":
            return _("Looking at how it computes")
        case "again":
            return _("Running one case again")
        case "waiting":
            return _("Waiting for a quieter machine, to run once more what took too long on a busy one")
        case _:
            return _("Checking the answers")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
