"""What the page says about a package on its way: a title, a sentence, a tone and an icon."""

from dataclasses import dataclass

from app.authoring.view import VerificationView


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    title: str
    sentence: str
    tone: str
    icon: str


def describe_standing(view: VerificationView) -> Standing:
    match view.state:
        case "queued":
            sentence = view.notice or "A worker takes it as soon as it has verified what came before."
            return Standing(title="In the queue", sentence=sentence, tone="wait", icon="wait")
        case "verifying":
            return Standing(title="Verifying …", sentence=view.notice or _progress(view), tone="wait", icon="wait")
        case "passed":
            title = "Published" if view.revision else "Passed"
            return Standing(title=title, sentence=_outcome(view), tone="good", icon="check")
        case "refused":
            count = sum(finding.severity == "error" for finding in view.report.findings) if view.report else 0
            what = f"{count} of its findings are errors" if count != 1 else "1 of its findings is an error"
            sentence = f"It was not published: {what}. Mend them and send it again."
            return Standing(title="Refused", sentence=sentence, tone="bad", icon="cross")
        case _:
            return Standing(title="Not verified", sentence=view.notice or "", tone="fault", icon="wrench")


def _progress(view: VerificationView) -> str:
    if not view.step:
        return "Starting."
    return f"{view.step}: {view.done} of {view.total}." if view.total else f"{view.step}."


def _outcome(view: VerificationView) -> str:
    if view.revision:
        return "Every check has passed, and it was made the problem's current revision."
    return view.notice or "Every check has passed. It is not published yet."
