"""The personal data export: a ZIP archive of text and JSON with the account and every row that refers to the user.

It never contains a secret's hash. Each file is small enough to open.
"""

import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import IO, Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import Executable, and_, or_, select, union_all
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, Identity, User, UserSession
from app.admin.export import in_time, open_spool
from app.admin.user_list import UserNotFound
from app.audit import Act, Actor, AuditEvent, record
from app.authoring.model import Publication, Verification
from app.catalog.model import Problem, Revision
from app.courses.due import find_hint_lock
from app.courses.model import Assignment, Course, Extension, Member, Sitting
from app.database.engine import Database
from app.grading.model import Adjustment, Comment, RegradeRequest
from app.learning.bookmark import Bookmark
from app.learning.discussion import Post
from app.learning.model import HintReveal, QuizAnswer, QuizAttempt, SolutionView
from app.learning.moderation import EntryReport
from app.learning.note import Note
from app.learning.shared_solution import SharedSolution
from app.lti.model import Platform, PlatformPerson
from app.similarity.model import SimilarityCheck, SimilarPair
from app.submissions.draft import Draft
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.solved import IS_WITHHELD
from app.submissions.view import view_case

Rows = list[dict[str, Any]]
BATCH = 50
README = """All data that Allclose has about you, as of the time in account.json.

account.json      your account, how you sign in, sessions and tokens (never their secrets)
audit.json        audit events: your actions on other users' things, and all actions on your account
drafts.json       sources that you typed and did not submit
learning.json     hints, solutions, quizzes, bookmarks and your notes on problems
discussions.json  questions, answers and reports that you wrote, and solutions that you shared
courses.json      your places in courses, with what the rosters say, your extensions, when and from where you wrote
                  exams, and decisions on your grades
similar.json      comparisons that found a submission of yours similar to one of another user
authoring.json    packages that you sent to be verified, and your publications
submissions/      each source, and beside it its judging, unless a course hides it for now
"""


def describe_account(session: Session, user_id: UUID) -> dict[str, Any]:
    """Raises UserNotFound."""
    user = session.get(User, user_id)
    if user is None:
        raise UserNotFound(user_id)
    facts = ("id", "username", "email", "role", "is_active", "is_ranked", "created_at", "erased_at")
    token = (ApiToken.name, ApiToken.scopes, ApiToken.created_at, ApiToken.expires_at, ApiToken.last_used_at)
    signed_in = (UserSession.address, UserSession.browser, UserSession.created_at, UserSession.last_seen_at)
    return {
        "exported_at": datetime.now(UTC),
        **{name: getattr(user, name) for name in facts},
        "has_password": user.password_hash is not None,
        "identities": _rows(
            session, select(Identity.issuer, Identity.subject, Identity.created_at).where(Identity.user_id == user_id)
        ),
        "learning_platforms": _rows(
            session,
            select(Platform.name, PlatformPerson.subject, PlatformPerson.created_at)
            .join(PlatformPerson, PlatformPerson.platform_id == Platform.id)
            .where(PlatformPerson.user_id == user_id),
        ),
        "sessions": _rows(session, select(*signed_in).where(UserSession.user_id == user_id)),
        "tokens": _rows(session, select(*token, ApiToken.revoked_at).where(ApiToken.user_id == user_id)),
    }


def list_audit(session: Session, user_id: UUID) -> Rows:
    """List audit events of and about the user. The name and address of another actor are left out.

    So are decisions on grades and comments: `courses.json` has them, once the points are released.
    """
    what = (AuditEvent.id, AuditEvent.at, AuditEvent.actor_id, AuditEvent.address)
    which = (AuditEvent.action, AuditEvent.target_kind, AuditEvent.target, AuditEvent.before, AuditEvent.after)
    done = select(*what, *which).where(AuditEvent.actor_id == user_id)
    is_other = AuditEvent.actor_id.is_distinct_from(user_id)
    is_target = and_(AuditEvent.target_kind == "user", AuditEvent.target == str(user_id))
    is_feedback = or_(AuditEvent.action.startswith("adjustment."), AuditEvent.action.startswith("comment."))
    is_about = or_(is_target, AuditEvent.subject_id == user_id)
    suffered = select(*what, *which).where(is_about, is_other, ~is_feedback)
    return [_own_side(row, user_id) for row in _rows(session, union_all(done, suffered).order_by("id"))]


def list_drafts(session: Session, user_id: UUID) -> Rows:
    what = (Problem.slug.label("problem"), Draft.source, Draft.saved_at, Draft.other_source, Draft.other_saved_at)
    return _rows(session, select(*what).join(Problem, Problem.id == Draft.problem_id).where(Draft.user_id == user_id))


def describe_learning(session: Session, user_id: UUID) -> dict[str, Rows]:
    slug = Problem.slug.label("problem")
    hints = select(slug, HintReveal.number, HintReveal.revealed_at).join(Problem, Problem.id == HintReveal.problem_id)
    seen = select(slug, SolutionView.shown_at).join(Problem, Problem.id == SolutionView.problem_id)
    marked = select(slug, Bookmark.bookmarked_at).join(Problem, Problem.id == Bookmark.problem_id)
    notes = select(slug, Note.text, Note.saved_at).join(Problem, Problem.id == Note.problem_id)
    answer = (QuizAnswer.question, QuizAnswer.choice, QuizAnswer.is_right, QuizAnswer.answered_at)
    answers = (
        select(slug, QuizAttempt.number.label("attempt"), *answer)
        .join(QuizAttempt, QuizAttempt.id == QuizAnswer.attempt_id)
        .join(Problem, Problem.id == QuizAttempt.problem_id)
        .order_by(slug, QuizAttempt.number, QuizAnswer.question)
    )
    return {
        "hints": _rows(session, hints.where(HintReveal.user_id == user_id)),
        "solutions_seen": _rows(session, seen.where(SolutionView.user_id == user_id)),
        "quiz_answers": _rows(session, answers.where(QuizAttempt.user_id == user_id)),
        "bookmarks": _rows(session, marked.where(Bookmark.user_id == user_id)),
        "notes": _rows(session, notes.where(Note.user_id == user_id)),
    }


def describe_discussions(session: Session, user_id: UUID) -> dict[str, Rows]:
    written = (Post.id, Post.question_id, Post.title, Post.body, Post.is_spoiler, Post.created_at, Post.edited_at)
    posts = select(
        Problem.slug.label("problem"), *written, Post.deleted_at, Post.hidden_at, Post.locked_at, Post.seen_at
    )
    reports = select(
        EntryReport.post_id,
        EntryReport.submission_id,
        EntryReport.reason,
        EntryReport.created_at,
        EntryReport.closed_at,
    )
    shared = select(SharedSolution.submission_id, SharedSolution.shared_at, SharedSolution.hidden_at)
    return {
        "posts": _rows(session, posts.join(Problem, Problem.id == Post.problem_id).where(Post.user_id == user_id)),
        "reports": _rows(session, reports.where(EntryReport.user_id == user_id)),
        "shared_solutions": _rows(session, shared.where(SharedSolution.user_id == user_id)),
    }


def describe_courses(session: Session, user_id: UUID) -> dict[str, Rows]:
    told = (
        *(Member.role, Member.name, Member.number, Member.email, Member.section),
        *(Member.time_factor, Member.joined_at, Member.left_at),
    )
    given = (
        *(Extension.opens_at, Extension.due_at, Extension.closes_at),
        *(Extension.extra_attempts, Extension.extra_minutes, Extension.created_at),
    )
    extensions = select(Course.slug.label("course"), Assignment.slug.label("assignment"), *given)
    extensions = extensions.select_from(Extension).join(Assignment).join(Course, Course.id == Assignment.course_id)
    sittings = select(Course.slug.label("course"), Assignment.slug.label("assignment"))
    sittings = sittings.add_columns(Sitting.started_at, Sitting.ended_at, Sitting.addresses)
    sittings = sittings.select_from(Sitting).join(Assignment).join(Course, Course.id == Assignment.course_id)
    decided = (Adjustment.kind, Adjustment.points, Adjustment.reason, Adjustment.created_at, Adjustment.replaced_at)
    released = (Adjustment.user_id == user_id, Assignment.released_at.is_not(None))
    decisions = select(Course.slug.label("course"), Assignment.slug.label("assignment"), *decided)
    decisions = decisions.select_from(Adjustment).join(Assignment).join(Course, Course.id == Assignment.course_id)
    comments = select(Comment.submission_id, Comment.line, Comment.text, Comment.created_at)
    comments = comments.join(Submission, Submission.id == Comment.submission_id).join(Assignment)
    asked = select(RegradeRequest.text, RegradeRequest.created_at, RegradeRequest.answer, RegradeRequest.answered_at)
    places = select(Course.slug.label("course"), *told).join(Course, Course.id == Member.course_id)
    return {
        "places": _rows(session, places.where(Member.user_id == user_id)),
        "decisions": _rows(session, decisions.where(*released)),
        "comments": _rows(session, comments.where(Submission.user_id == user_id, Assignment.released_at.is_not(None))),
        "regrade_requests": _rows(session, asked.where(RegradeRequest.user_id == user_id)),
        "extensions": _rows(session, extensions.where(Extension.user_id == user_id)),
        "sittings": _rows(session, sittings.where(Sitting.user_id == user_id)),
    }


def list_similar(session: Session, user_id: UUID) -> Rows:
    """List the pairs with a submission of the user, and nothing of the other one.

    While results are withheld, a comparison of what counts would tell which hand-in does.
    """
    is_left = (SimilarPair.left_id == Submission.id).label("is_left")
    found = (SimilarPair.similarity, SimilarPair.dismissed_at, SimilarPair.blocks, is_left)
    query = (
        select(Problem.slug.label("problem"), SimilarityCheck.created_at.label("compared_at"), *found)
        .add_columns(Submission.id.label("submission"))
        .join(SimilarityCheck, SimilarityCheck.id == SimilarPair.check_id)
        .join(Problem, Problem.id == SimilarityCheck.problem_id)
        .join(Submission, or_(Submission.id == SimilarPair.left_id, Submission.id == SimilarPair.right_id))
        .where(Submission.user_id == user_id, ~IS_WITHHELD)
        .order_by(SimilarityCheck.created_at, SimilarPair.number)
    )
    return [_own_lines(row) for row in _rows(session, query)]


def _own_lines(row: dict[str, Any]) -> dict[str, Any]:
    first = 0 if row.pop("is_left") else 2
    return row | {"lines": [block[first : first + 2] for block in row.pop("blocks")]}


def describe_authoring(session: Session, user_id: UUID) -> dict[str, Rows]:
    sent = (Verification.slug, Verification.digest, Verification.queued_at, Verification.verdict)
    published = (Problem.slug.label("problem"), Revision.number.label("revision"), Publication.published_at)
    publications = (
        select(*published)
        .join(Problem, Problem.id == Publication.problem_id)
        .join(Revision, Revision.id == Publication.revision_id)
    )
    return {
        "verifications": _rows(session, select(*sent).where(Verification.user_id == user_id)),
        "publications": _rows(session, publications.where(Publication.user_id == user_id)),
    }


SECTIONS: Mapping[str, Callable[[Session, UUID], Any]] = {
    "audit.json": list_audit,
    "drafts.json": list_drafts,
    "learning.json": describe_learning,
    "discussions.json": describe_discussions,
    "courses.json": describe_courses,
    "similar.json": list_similar,
    "authoring.json": describe_authoring,
}


def _rows(session: Session, query: Executable) -> Rows:
    return [dict(row) for row in session.execute(query).mappings()]


def _own_side(row: dict[str, Any], user_id: UUID) -> dict[str, Any]:
    is_own = row.pop("actor_id") == user_id
    return row | {"by": "you" if is_own else "an admin", "address": row["address"] if is_own else None}


def export_user(database: Database, actor: Actor, user_id: UUID) -> IO[bytes]:
    """Return an open file with the data of one moment; the caller closes it. Raises UserNotFound and LimitReached."""
    file = open_spool()
    with database.snapshot(actor.user_id) as session, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in in_time(_list_files(session, user_id)):
            archive.writestr(name, content)
    with database.transaction() as session:
        record(session, actor, Act(action="user.exported", target=user_id))
    file.seek(0)
    return file


def _list_files(session: Session, user_id: UUID) -> Iterator[tuple[str, str | bytes]]:
    account = describe_account(session, user_id)
    yield "README.txt", README
    yield "account.json", _text(account)
    for name, describe in SECTIONS.items():
        yield name, _text(describe(session, user_id))
    for name, content in _submissions(session, user_id):
        yield f"submissions/{name}", content


def _submissions(session: Session, user_id: UUID) -> Iterator[tuple[str, str | bytes]]:
    query = (
        select(Submission, Problem.slug, Revision.number, Judging, IS_WITHHELD)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(Revision, Revision.id == Judging.revision_id)
        .where(Submission.user_id == user_id)
        .order_by(Submission.created_at.desc())
    )
    for rows in session.execute(query, execution_options={"yield_per": BATCH}).partitions():
        cases = _cases(session, [judging for *_, judging, is_withheld in rows if not is_withheld])
        for submission, slug, number, judging, is_withheld in rows:
            name = f"{submission.created_at:%Y-%m-%d_%H-%M-%S}_{slug}_{submission.id}"
            yield f"{name}.py", submission.source
            sent = {each: getattr(submission, each) for each in ("id", "mode", "inputs", "created_at")}
            told = {"is_withheld": True} if is_withheld else _describe(judging) | {"cases": cases[judging.id]}
            if judging.hint and find_hint_lock(session, user_id, submission.problem_id):
                told["hint"] = None
            yield f"{name}.json", _text({"problem": slug, "revision": number, **sent, **told})


def _describe(judging: Judging) -> dict[str, Any]:
    judged = ("state", "verdict", "score", "hint", "queued_at", "finished_at", "phases", "versions", "times")
    return {**{name: getattr(judging, name) for name in judged}, "started_at": judging.latest.started_at}


def _cases(session: Session, judgings: Sequence[Judging]) -> defaultdict[int, list[dict[str, Any]]]:
    """Return the case results of each judging's last attempt."""
    cases: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    attempts = {judging.id: judging.latest.attempt for judging in judgings}
    rows = select(CaseRow).where(CaseRow.judging_id.in_(attempts)).order_by(CaseRow.judging_id, CaseRow.position)
    for row in session.scalars(rows):
        if row.attempt == attempts[row.judging_id]:
            cases[row.judging_id].append(view_case(row).model_dump(mode="json"))
    return cases


def _text(value: Any) -> bytes:
    return to_json(value, indent=2)
