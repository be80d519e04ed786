"""Courses, their members and rosters, and joining one."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field, StrictBool

from app.accounts.permission import Permission, Viewer
from app.api.dependency import Address, Configured, ShortSliced, Stored, act_as, needs
from app.api.openapi import locates
from app.courses.course import (
    CourseChange,
    CourseView,
    NewCourse,
    change_course,
    create_course,
    end_join_code,
    join_course,
    list_seats,
    renew_join_code,
    view_course,
    view_courses,
)
from app.courses.course_copy import CopyWish, copy_course
from app.courses.member import (
    MemberChange,
    MemberView,
    NewMember,
    add_member,
    change_member,
    claim_by_link,
    get_member_view,
    list_members,
    make_links,
    remove_member,
)
from app.courses.model import Member
from app.courses.role import CourseRight, get_seat
from app.courses.roster import RosterChoice, RosterPlan, RosterRow, apply_roster, plan_roster
from app.database.cursor import NextCursor, cut_list
from app.limits import MAX_BODY_BYTES
from app.validation import Body, FrozenModel, Moment

router = APIRouter(tags=["courses"])

CourseReader = Annotated[Viewer, needs(Permission.READ_COURSES)]
CourseTaker = Annotated[Viewer, needs(Permission.TAKE_COURSES)]
CourseCreator = Annotated[Viewer, needs(Permission.CREATE_COURSES)]
Course = Annotated[str, Path(description="the course's `slug`", examples=["deep-learning-winter-2026"])]


class CourseList(BaseModel):
    items: list[CourseView]
    next: NextCursor


class CodeWish(Body):
    """The join code to make."""

    until: Moment | None = Field(None, description="when it ends; null: never")


class Joining(Body):
    """How you join: with a course's code, or with your personal link. Give one."""

    code: str | None = Field(None, max_length=40, examples=["k7m2pqx4wd"])
    link: str | None = Field(None, max_length=100, description="the last part of a personal link", examples=[None])


class Joined(BaseModel):
    course: str = Field(description="the course's `slug`")
    title: str


class Roster(Body):
    """A table of students as CSV, with commas, semicolons or tabs. Its first line names the columns.

    Columns: `number`, `email`, `username`, `name` (or `first name` and `last name`), `section`.
    """

    csv: str = Field(max_length=MAX_BODY_BYTES, examples=["number,name,section\n4711,Ada Lovelace,Monday\n"])
    preview: StrictBool = Field(False, description="true: only say what would change")
    removes_gone: StrictBool = Field(False, description="true: remove the students who are not in the table")
    takes_accounts: StrictBool = Field(
        False, description="true: the accounts with the user names of the table are these people"
    )


class RosterPerson(FrozenModel):
    name: str
    number: str
    email: str
    username: str
    section: str


class RosterLine(RosterPerson):
    """A row of the table."""

    line: int


class RosterUpdate(RosterLine):
    fields: tuple[str, ...] = Field(description="the fields that differ; `left_at`: a removed member comes back")


class RowError(BaseModel):
    line: int
    message: str


class RosterResult(BaseModel):
    """What the roster changes, or would change. A table with `errors` can't be applied."""

    new: list[RosterLine]
    changed: list[RosterUpdate]
    unchanged: int
    gone: list[RosterPerson] = Field(description="students who are not in the table; `removes_gone` removes them")
    accounts: list[RosterLine] = Field(
        description="rows that name an existing account. Anyone can take a user name: look whether these are the "
        "people, then send `takes_accounts`"
    )
    errors: list[RowError]
    repeated: list[int] = Field(description="lines that repeat another one")
    ignored: list[str] = Field(description="columns without a known name")


class LinkView(BaseModel):
    """A personal link. No other answer has it: pass it on to its person."""

    member: UUID
    name: str
    email: str
    link: str


class LinkList(BaseModel):
    items: list[LinkView]


class MemberList(BaseModel):
    items: list[MemberView]
    next: NextCursor


@router.post(
    "/courses", status_code=HTTPStatus.CREATED, responses={201: locates("the course's path")}, summary="Create a course"
)
def post_course(
    database: Stored, viewer: CourseCreator, address: Address, wanted: NewCourse, response: Response
) -> CourseView:
    """The course is a draft until you open it."""
    with database.transaction() as session:
        course = create_course(session, act_as(viewer, address), wanted)
        view = view_course(session, get_seat(session, viewer, course.slug))
    response.headers["Location"] = f"/api/v1/courses/{view.slug}"
    return view


@router.get("/courses", summary="Your courses")
def get_courses(database: Stored, viewer: CourseReader, wanted: ShortSliced) -> CourseList:
    """Newest first. Admins get all courses."""
    with database.transaction() as session:
        seats, following = cut_list(list_seats(session, viewer), lambda seat: seat.course.slug, wanted)
        return CourseList(items=view_courses(session, seats), next=following)


@router.post("/me/courses", summary="Join a course")
def join(database: Stored, viewer: CourseTaker, address: Address, joining: Joining) -> Joined:
    with database.transaction() as session:
        if joining.link is not None:
            course = claim_by_link(session, act_as(viewer, address), viewer.user, joining.link)
        else:
            course = join_course(session, viewer, joining.code or "")
        return Joined(course=course.slug, title=course.title)


@router.get("/courses/{course}", summary="A course")
def get_course(database: Stored, viewer: CourseReader, course: Course) -> CourseView:
    with database.transaction() as session:
        return view_course(session, get_seat(session, viewer, course))


@router.patch("/courses/{course}", summary="Change a course")
def patch_course(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    change: CourseChange,
) -> CourseView:
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        session.refresh(seat.course, with_for_update=True)
        change_course(session, act_as(viewer, address), seat, change)
        return view_course(session, seat)


@router.post(
    "/courses/{course}/copies",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the new course's path")},
    summary="Copy a course for another term",
)
def post_copy(
    database: Stored, viewer: CourseCreator, address: Address, course: Course, wish: CopyWish, response: Response
) -> CourseView:
    """A draft with the same assignments, later by whole weeks of local time. Members are not copied."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        made = copy_course(session, act_as(viewer, address), seat, wish)
        view = view_course(session, get_seat(session, viewer, made.slug))
    response.headers["Location"] = f"/api/v1/courses/{view.slug}"
    return view


@router.post("/courses/{course}/join-code", summary="Renew the join code")
def renew_code(database: Stored, viewer: CourseTaker, address: Address, course: Course, wanted: CodeWish) -> CourseView:
    """The old code ends. Students join with the code once the course is open."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        renew_join_code(session, act_as(viewer, address), seat, wanted.until)
        return view_course(session, seat)


@router.delete("/courses/{course}/join-code", status_code=HTTPStatus.NO_CONTENT, summary="End the join code")
def end_code(database: Stored, viewer: CourseTaker, address: Address, course: Course) -> None:
    with database.transaction() as session:
        end_join_code(session, act_as(viewer, address), get_seat(session, viewer, course, CourseRight.CHANGE_COURSE))


@router.get("/courses/{course}/members", summary="The members of a course")
def get_members(database: Stored, viewer: CourseReader, course: Course, wanted: ShortSliced) -> MemberList:
    """Staff first, then students by section and name."""
    with database.transaction() as session:
        members = list_members(session, get_seat(session, viewer, course, CourseRight.SEE_MEMBERS))
    items, following = cut_list(members, lambda member: member.id, wanted)
    return MemberList(items=list(items), next=following)


@router.post(
    "/courses/{course}/members",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the member's path")},
    summary="Add a member",
)
def post_member(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, new: NewMember, response: Response
) -> MemberView:
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        member = add_member(session, act_as(viewer, address), seat, new)
        view = get_member_view(session, seat, member.id)
    response.headers["Location"] = f"/api/v1/courses/{seat.course.slug}/members/{view.id}"
    return view


@router.get("/courses/{course}/members/{member_id}", summary="A member of a course")
def get_member(database: Stored, viewer: CourseReader, course: Course, member_id: UUID) -> MemberView:
    with database.transaction() as session:
        return get_member_view(session, get_seat(session, viewer, course, CourseRight.SEE_MEMBERS), member_id)


@router.patch("/courses/{course}/members/{member_id}", summary="Change a member")
def patch_member(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    member_id: UUID,
    change: MemberChange,
) -> MemberView:
    """With `username` a pending member gets its account. If that user joined with the code, the answer is their row."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        member = change_member(session, act_as(viewer, address), seat, member_id, change)
        return get_member_view(session, seat, member.id)


@router.delete("/courses/{course}/members/{member_id}", status_code=HTTPStatus.NO_CONTENT, summary="Remove a member")
def delete_member(database: Stored, viewer: CourseTaker, address: Address, course: Course, member_id: UUID) -> None:
    """The member's work stays, and counts again if you add the member again."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        remove_member(session, act_as(viewer, address), seat, member_id)


@router.post("/courses/{course}/roster", summary="Preview or apply a roster")
def post_roster(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, roster: Roster
) -> RosterResult:
    """Applies all of the table, or nothing. Students without an account are pending until they claim their place."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        plan = plan_roster(session, seat, roster.csv)
        result = _describe(plan)
        if not roster.preview:
            choice = RosterChoice(removes_gone=roster.removes_gone, takes_accounts=roster.takes_accounts)
            apply_roster(session, act_as(viewer, address), seat, plan, choice)
        return result


@router.post("/courses/{course}/personal-links", summary="Make personal links for pending members")
def post_links(
    database: Stored, viewer: CourseTaker, address: Address, settings: Configured, course: Course
) -> LinkList:
    """Each link works once, for 60 days. Links made before end. Allclose sends no mail: pass the links on."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        links = make_links(session, act_as(viewer, address), seat)
        items = [
            LinkView(
                member=link.member.id,
                name=link.member.name,
                email=link.member.email,
                link=link.address(settings.base_url),
            )
            for link in links
        ]
    return LinkList(items=items)


def _describe(plan: RosterPlan) -> RosterResult:
    return RosterResult(
        new=[RosterLine(**_person(row), line=row.line) for row in plan.new],
        changed=[
            RosterUpdate(**_person(change.row), line=change.row.line, fields=change.fields) for change in plan.changed
        ],
        unchanged=plan.unchanged,
        gone=[RosterPerson(**_person(member)) for member in plan.gone],
        accounts=[RosterLine(**_person(match.row), line=match.row.line) for match in plan.accounts],
        errors=[RowError(line=fault.line, message=fault.message) for fault in plan.faults],
        repeated=list(plan.repeated),
        ignored=list(plan.ignored),
    )


def _person(row: RosterRow | Member) -> dict[str, str]:
    return {name: getattr(row, name) for name in RosterPerson.model_fields}
