"""The status of a verification for its page: title, sentence, tone, icon and the progress of its checks."""

from dataclasses import dataclass

from app.authoring.query import VerificationView
from app.catalog.verification_report import TITLES, CheckName
from app.courses.due import describe_open_uses
from app.web.result import capitalise

# The checks in order, each with the step names of its progress.
_CHECKS: dict[CheckName, tuple[str, ...]] = {
    "reference": ("", "the reference"),
    "lint": (),
    "known": ("known submissions",),
    "trivial": ("trivial answers",),
    "mutation": (),  # all other names
    "kill_matrix": (),
    "calibration": (),
    "limits": ("limits",),
}


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A check. `state` is done, now or later."""

    title: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusText:
    title: str
    sentence: str
    tone: str
    icon: str
    steps: tuple[CheckStep, ...] = ()


def describe_standing(view: VerificationView) -> StatusText:
    match view.state:
        case "queued":
            sentence = view.notice or "A worker verifies this package after the packages that were sent earlier."
            return StatusText(title="In the queue", sentence=sentence, tone="wait", icon="wait")
        case "verifying":
            sentence, steps = view.notice or _progress(view), _steps(view.step)
            return StatusText(title="Verifying …", sentence=sentence, tone="wait", icon="wait", steps=steps)
        case "passed":
            title = "Published" if view.revision else "Passed"
            return StatusText(title=title, sentence=_outcome(view), tone="good", icon="check")
        case "refused":
            count = sum(finding.severity == "error" for finding in view.report.findings) if view.report else 0
            found = "1 error. Fix it" if count == 1 else f"{count} errors. Fix them"
            sentence = f"Not published: {found} and verify again."
            return StatusText(title="Refused", sentence=sentence, tone="bad", icon="cross")
        case "failed" if view.is_cancelled:
            sentence = "You can edit the files and verify them again."
            return StatusText(title="Cancelled", sentence=sentence, tone="wait", icon="dash")
        case _:
            return StatusText(title="Not verified", sentence=view.notice or "", tone="fault", icon="wrench")


def _steps(told: str) -> tuple[CheckStep, ...]:
    checks = list(_CHECKS)
    now = next((place for place, names in enumerate(_CHECKS.values()) if told in names), checks.index("mutation"))
    states = ["done" if place < now else "later" for place in range(len(checks))]
    states[now] = "now"
    return tuple(CheckStep(TITLES[check], state) for check, state in zip(checks, states, strict=True))


def _progress(view: VerificationView) -> str:
    if not view.step:
        return "Starting."
    step = capitalise(view.step)
    return f"{step}: {view.done} of {view.total}." if view.total else f"{step}."


def _outcome(view: VerificationView) -> str:
    if view.revision and view.availability == "draft":
        return "All checks passed. It was published as a draft, which only authors see. You can list it later."
    if view.revision:
        uses = describe_open_uses(view.open_assignments or 0)
        return f"All checks passed. This is now the problem's current revision. {uses}".strip()
    return view.notice or "All checks passed. Not published yet."
