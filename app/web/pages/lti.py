"""Launches from learning platforms: the login request, the launch, and what is still to decide after it.

A platform shows Allclose in a frame, where browsers keep no cookies for it. There, `/lti/login` answers with a link
that opens a new window. It is the only page that may stand in a frame, and it has nothing but the link.

`/lti/login` and `/lti/launch` take forms of other sites. They start no session: a form of another site brings no
session cookie, so the launch's own page, to which `/lti/launch` redirects, sees who is signed in here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer
from app.accounts.reauthentication import ReauthenticationFailed
from app.api.request_state import get_database, get_platforms, get_settings
from app.api.response_headers import in_frames_of, with_form_to
from app.courses.course import list_timezones
from app.errors import Conflict, NotFound, Refused
from app.limits import RateLimitReached
from app.lti.deep_link import describe_choice, list_assignments_of, require_instructor
from app.lti.fetch import origins_of
from app.lti.launch import (
    ATTEMPT_TIME,
    DECISION_TIME,
    Launch,
    LaunchAnswer,
    LaunchRefused,
    LoginRequest,
    begin,
    end_launch,
    find_platform,
    finish,
    get_launch,
    key_of,
)
from app.lti.link import (
    LinkedCourse,
    NotLinked,
    create_linked_course,
    enter,
    find_assignment,
    find_linked,
    find_person,
    link_course,
    link_person,
    list_linkable,
    make_person,
)
from app.lti.model import Platform
from app.lti.platform import show_keys, sign
from app.web.account import prove
from app.web.visit import Answer, Cookie, CurrentVisit, Visit, arrive_at_course, require_own_origin, see_other

HOME = "/lti"
router = APIRouter(prefix=HOME)
IN_A_FRAME = ("iframe", "frame", "embed", "object")


class LaunchForm(BaseModel):
    state: str = ""
    id_token: str = ""
    error: str = ""


class DecisionForm(BaseModel):
    """`course`, `timezone`, `password` and `assignment` belong to one `act` each."""

    act: Literal["link_course", "create_course", "link_account", "own_account", "choose"]
    course: str = ""
    timezone: str = "UTC"
    password: str = Field("", repr=False)
    assignment: str = ""


LAUNCH = Cookie(name="allclose_lti", lifetime=DECISION_TIME, is_sent_by_others=True)


def _cookie(key: str, lifetime: timedelta) -> Cookie:
    """Each launch has a cookie of its own, or two tabs would end each other's."""
    return replace(LAUNCH, name=f"{LAUNCH.name}_{key[:16]}", lifetime=lifetime)


@router.get("/login")
def show_login(visit: CurrentVisit, asked: Annotated[LoginRequest, Query()]) -> Response:
    return _explain(visit, lambda: _log_in(visit, asked))


@router.post("/login")
def send_login(visit: CurrentVisit, asked: Annotated[LoginRequest, Form()]) -> Response:
    return _explain(visit, lambda: _log_in(visit, asked))


def _explain(visit: Visit, step: Callable[[], Response]) -> Response:
    """Answer with what went wrong. The person came from elsewhere, and goes back there."""
    try:
        return step()
    except (Refused, NotFound, Conflict) as fault:
        return visit.render("lti/refused.html", {"fault": str(fault)}, 403)


def _log_in(visit: Visit, asked: LoginRequest) -> Response:
    get_platforms(visit.request)
    base_url = get_settings(visit.request).base_url
    with visit.transaction() as session:
        platform = find_platform(session, asked)
        if visit.request.headers.get("sec-fetch-dest") in IN_A_FRAME:
            return _show_button(visit, platform, asked)
        begun = begin(session, base_url, platform, asked)
    return _cookie(begun.key, ATTEMPT_TIME).keep(visit.request, see_other(begun.url), begun.nonce)


def _show_button(visit: Visit, platform: Platform, asked: LoginRequest) -> Response:
    """Render a link, not a form: the policy of a form would have to allow every redirect that follows."""
    address = f"{HOME}/login?{urlencode(asked.model_dump())}"
    page = visit.render("lti/button.html", {"platform": platform, "address": address})
    page.headers["Content-Security-Policy"] = in_frames_of(origins_of([platform.web_address, platform.login_url]))
    return page


@router.post("/launch")
def send_launch(visit: CurrentVisit, form: Annotated[LaunchForm, Form()]) -> Response:
    return _explain(visit, lambda: _launch(visit, form))


def _launch(visit: Visit, form: LaunchForm) -> Response:
    client, base_url = get_platforms(visit.request), get_settings(visit.request).base_url
    if form.error:
        raise LaunchRefused("Your learning platform did not say who you are. Sign in there, and open the link again.")
    key = key_of(form.state)
    nonce = _cookie(key, ATTEMPT_TIME).read(visit.request)
    answer = LaunchAnswer(state=form.state, token=form.id_token, nonce=nonce)
    finish(get_database(visit.request), client, base_url, answer)
    return _cookie(key, DECISION_TIME).keep(visit.request, see_other(f"{HOME}/launches/{key}"), nonce)


@router.get("/launches/{key}")
def show_launch(visit: CurrentVisit, key: str) -> Response:
    return _explain(visit, lambda: _go_on(visit, key, {}))


@router.post("/launches/{key}", dependencies=[Depends(require_own_origin)])
def send_decision(visit: CurrentVisit, key: str, form: Annotated[DecisionForm, Form()]) -> Response:
    return _explain(visit, lambda: _decide(visit, key, form))


def _decide(visit: Visit, key: str, form: DecisionForm) -> Response:
    try:
        with visit.transaction() as session:
            step = _read_step(visit, session, key)
            if form.act == "choose":
                return _answer_choice(visit, session, step, form.assignment)
            if form.act == "own_account":
                return _enter_with_own_account(visit, session, step)
            if form.act == "create_course":
                create_linked_course(session, visit.actor, step.platform, step.launch, form.timezone)
            elif form.act == "link_course":
                link_course(session, visit.actor, _require_viewer(visit), step.platform, step.launch, form.course)
            else:
                proof = prove(session, visit, form.password)
                link_person(session, visit.actor, _require_viewer(visit), step.platform, step.launch, proof)
    except (ReauthenticationFailed, RateLimitReached) as fault:
        return _go_on(visit, key, {"password": str(fault)})
    return see_other(f"{HOME}/launches/{key}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchStep:
    """A launch that is checked and has led nowhere yet. `found` is None while its course is not linked."""

    key: str
    platform: Platform
    launch: Launch
    found: LinkedCourse | None

    @property
    def action(self) -> str:
        return f"{HOME}/launches/{self.key}"

    def require_link(self) -> LinkedCourse:
        """Raises NotLinked."""
        if self.found is None:
            raise NotLinked(self.launch, self.platform)
        return self.found


def _read_step(visit: Visit, session: Session, key: str) -> LaunchStep:
    get_platforms(visit.request)
    platform, launch = get_launch(session, key, _cookie(key, DECISION_TIME).read(visit.request))
    return LaunchStep(key=key, platform=platform, launch=launch, found=find_linked(session, platform, launch))


def _require_viewer(visit: Visit) -> Viewer:
    if visit.viewer is None:
        raise Refused("You were signed out in the meantime. Sign in here, and open the link again.")
    return visit.viewer


def _go_on(visit: Visit, key: str, errors: dict[str, str]) -> Response:
    """Open what the launch is for, or ask what is to decide before."""
    with visit.transaction() as session:
        step = _read_step(visit, session, key)
        if step.found is None:
            return _ask_for_course(visit, session, step)
        if step.launch.deep_linking is not None:
            return _ask_for_assignment(visit, session, step)
        user = find_person(session, step.platform, step.launch)
        if user is None and _is_signed_in(visit):
            context = {"step": step, "course": step.found.course, "errors": errors}
            return visit.render("lti/account.html", context, 422 if errors else 200)
        user = user or make_person(session, visit.actor, step.platform, step.launch)
        return _enter(visit, session, step, user)


def _is_signed_in(visit: Visit) -> bool:
    """Whether the person signed in here, and no platform did it for them."""
    return visit.viewer is not None and visit.viewer.course_ids is None


def _enter_with_own_account(visit: Visit, session: Session, step: LaunchStep) -> Response:
    user = find_person(session, step.platform, step.launch)
    user = user or make_person(session, visit.actor, step.platform, step.launch)
    return _enter(visit, session, step, user)


def _enter(visit: Visit, session: Session, step: LaunchStep, user: User) -> Response:
    found = step.require_link()
    path = enter(session, visit.actor, found, step.launch, user)
    return _end(visit, session, step, arrive_at_course(visit, session, user, found.course.id, path))


def _end(visit: Visit, session: Session, step: LaunchStep, response: Answer) -> Answer:
    end_launch(session, step.key)
    return _cookie(step.key, DECISION_TIME).forget(visit.request, response)


def _ask_for_course(visit: Visit, session: Session, step: LaunchStep) -> Response:
    if step.launch.role != "instructor":
        step.require_link()
    courses = list_linkable(session, visit.viewer) if visit.viewer and _is_signed_in(visit) else None
    context = {"step": step, "courses": courses, "timezones": list_timezones()}
    return visit.render("lti/course.html", context)


def _ask_for_assignment(visit: Visit, session: Session, step: LaunchStep) -> Response:
    require_instructor(step.launch, get_platforms(visit.request).rule)
    course = step.require_link().course
    context = {"step": step, "course": course, "assignments": list_assignments_of(session, course)}
    return visit.render("lti/choose.html", context)


def _answer_choice(visit: Visit, session: Session, step: LaunchStep, wanted: str) -> Response:
    """Render a form that takes the choice back to the platform. Only this page's form may go there."""
    return_url = require_instructor(step.launch, get_platforms(visit.request).rule)
    course = step.require_link().course
    assignment = find_assignment(session, course, wanted)
    base_url = get_settings(visit.request).base_url
    claims = describe_choice(step.platform, step.launch, base_url, course, assignment)
    context = {"step": step, "address": return_url, "token": sign(session, claims)}
    page = visit.render("lti/chosen.html", context | {"title": (assignment or course).title})
    page.headers["Content-Security-Policy"] = with_form_to(origins_of([return_url])[0])
    return _end(visit, session, step, page)


@router.get("/jwks")
def show_public_keys(visit: CurrentVisit) -> JSONResponse:
    with visit.transaction() as session:
        return JSONResponse(show_keys(session), headers={"Cache-Control": "public, max-age=3600"})
