"""The runtime settings: one form in groups, with words, units, bounds, defaults and last changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from app.accounts.permission import Permission, Viewer
from app.admin.retention import MOST_COUNTED
from app.admin.settings import RemovalUnconfirmed, Setting, SettingsRefused, as_text, list_settings, save_typed
from app.api.request_state import get_policy
from app.policy import Policy
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

HOME = "/admin/settings"
router = APIRouter(prefix=HOME)

ReadsOperations = Annotated[Viewer, needs(Permission.READ_OPERATIONS)]
ChangesSettings = Annotated[Viewer, needs(Permission.CHANGE_SETTINGS, home=HOME)]
# The prefix of the hidden fields with the values that the form showed.
SEEN = "seen."

# Each group's settings with their labels and units.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Accounts and pages": {
        "sign_up": ("Sign-up", ""),
        "announcement": ("Announcement", ""),
        "discussions": ("Discussions", ""),
        "shared_solutions": ("Shared solutions", ""),
        "visitor_runs": ("Sample runs without an account", ""),
        "first_steps": ("First steps on the overview", ""),
    },
    "Limits for each user": {
        "max_pending": ("Unfinished submissions", "submissions"),
        "submissions_per_hour": ("Submissions", "per hour"),
        "judging_seconds_per_hour": ("Judging time", "seconds per hour"),
        "submitted_mib_per_hour": ("Sources and custom inputs", "MiB per hour"),
        "requests_per_minute": ("Requests", "per minute"),
    },
    "Queue": {"max_queue_minutes": ("Longest wait for new submissions", "minutes")},
    "How long data is kept": {
        "keep_submissions_days": ("Old submissions", "days"),
        "keep_verifications_days": ("Old verifications", "days"),
        "keep_ended_days": ("Ended sessions, tokens and invitations", "days"),
    },
}
CHOICES = {
    "open": "Open to everyone",
    "invitation": "With an invitation only",
    "closed": "Closed",
    "on": "On",
    "off": "Off",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSetting:
    """A setting with its label, and its unit or an empty text."""

    setting: Setting
    label: str
    unit: str

    @property
    def shown(self) -> str:
        return as_text(self.setting.value)

    @property
    def default(self) -> str:
        return as_text(self.setting.default)

    @property
    def default_in_hours(self) -> str:
        """Return a default in seconds as hours, or an empty text."""
        default = self.setting.default
        if "seconds" not in self.setting.name or not isinstance(default, int) or default % 3600:
            return ""
        hours = default // 3600
        return "1 hour" if hours == 1 else f"{hours} hours"


async def read_typed(request: Request, viewer: ChangesSettings) -> dict[str, str]:  # noqa: ARG001 (others are not read)
    async with request.form(max_files=0) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


Typed = Annotated[dict[str, str], Depends(read_typed)]


@router.get("")
def show_settings(visit: CurrentVisit, viewer: ReadsOperations, saved: str = "") -> Response:  # noqa: ARG001
    """`saved`: the names of the settings that were just saved, or `nothing`."""
    names = [name for name in saved.split(",") if name in Policy.model_fields]
    return _render(visit, {"saved": names if saved else None})


@router.post("", dependencies=[Depends(require_own_origin)])
def save_settings(visit: CurrentVisit, typed: Typed) -> Response:
    """Save all changed settings or none. `reset` enters a default, and `sure` confirms that data will be deleted."""
    if reset := typed.get("reset"):
        return _enter_default(visit, typed, reset)
    seen = {name.removeprefix(SEEN): value for name, value in typed.items() if name.startswith(SEEN)}
    values = {name: value for name, value in typed.items() if name in Policy.model_fields}
    try:
        with visit.transaction() as session:
            saved = save_typed(session, visit.actor, values, seen, is_confirmed=typed.get("sure") == "yes")
    except RemovalUnconfirmed as fault:
        return _render(visit, {"typed": typed, "going": fault.going}, 409)
    except SettingsRefused as fault:
        return _render(visit, {"typed": typed, "errors": fault.errors}, 409 if fault.is_outdated else 422)
    get_policy(visit.request).refresh()
    return see_other(f"{HOME}?saved={','.join(saved) or 'nothing'}")


def _enter_default(visit: Visit, typed: Mapping[str, str], name: str) -> Response:
    with visit.transaction() as session:
        defaults = {setting.name: as_text(setting.default) for setting in list_settings(session)}
    return _render(visit, {"typed": {**typed, name: defaults.get(name, "")}, "entered": name})


def _render(visit: Visit, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        groups = list_groups(list_settings(session))
    labels = {each.setting.name: each.label for _title, group in groups for each in group}
    usual: dict[str, Any] = {
        "groups": groups,
        "labels": labels,
        "choices": dict(CHOICES.items()),
        "typed": {},
        "errors": {},
        "going": (),
        "saved": None,
        "entered": "",
        "most_counted": MOST_COUNTED,
    }
    return visit.render("admin/settings.html", usual | context, status)


def list_groups(settings: tuple[Setting, ...]) -> list[tuple[str, list[LabelledSetting]]]:
    """Group the settings. Those without a group come last, with their names as labels."""
    known = {setting.name: setting for setting in settings}
    found = [
        (
            title,
            [
                LabelledSetting(setting=known.pop(name), label=label, unit=unit if unit else "")
                for name, (label, unit) in names.items()
            ],
        )
        for title, names in GROUPS.items()
    ]
    rest = [LabelledSetting(setting=setting, label=name, unit="") for name, setting in known.items()]
    return [*found, ("Other settings", rest)] if rest else found
