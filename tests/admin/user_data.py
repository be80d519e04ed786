"""A user of whom there is something in every table that can name one."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app.accounts.model import Identity, Invitation, User
from app.accounts.session import SessionOrigin, start_session
from app.accounts.token import create_token
from app.accounts.user import SignUp, sign_up
from app.audit import Act, Actor, record
from app.authoring.model import Publication, Verification
from app.courses.model import Extension, Sitting
from app.grading.model import Adjustment, Comment, RegradeRequest, ShownGrade
from app.learning.bookmark import Bookmark
from app.learning.discussion import Post
from app.learning.model import HintReveal, QuizAnswer, QuizAttempt, SolutionView
from app.learning.moderation import EntryReport
from app.learning.note import Note
from app.learning.shared_solution import SharedSolution
from app.lti.model import Platform, PlatformPerson
from app.policy import PolicyRow
from app.rejudging.model import Rejudging
from app.similarity.model import Fingerprint, SimilarityCheck, SimilarPair
from app.submissions.draft import Draft
from app.submissions.leaderboard import Measurement
from app.submissions.model import CaseRow, Submission
from tests.factories import (
    make_assignment,
    make_course,
    make_judging,
    make_member,
    make_problem,
    make_submission,
    make_user,
)

SOURCE = "def solve(): return 'ada was here'"
QUESTION = "Why does it say that ada was here?"


def make_rich_user(session: Session, username: str = "ada") -> User:
    email = f"{username}@example.org"
    user = sign_up(session, SignUp(username=username, password="correct horse", email=email), role="author")
    _make_account(session, user, email)
    _make_work(session, user.id)
    return user


def _make_account(session: Session, user: User, email: str) -> None:
    start_session(session, user.id, SessionOrigin(address="192.0.2.7", browser="Firefox on Linux"))
    create_token(session, user.id, "the laptop of ada")
    session.add(Identity(issuer="https://id.example.org", subject=str(uuid4()), user_id=user.id))
    facts = dict.fromkeys(("issuer", "web_address", "login_url", "token_url", "keys_url"), "https://lms.example.org")
    platform = Platform(name="Moodle", client_id=str(uuid4()), **facts)
    session.add(platform)
    session.flush()
    session.add(PlatformPerson(platform_id=platform.id, subject="7", user_id=user.id))
    for by, used_by in ((user.id, None), (None, user.id)):
        row = Invitation(token_hash=uuid4().bytes, role="student", created_by=by, used_by=used_by, email=email)
        row.note, row.expires_at = "a note", datetime.now(UTC) + timedelta(days=1)
        session.add(row)
    session.add(PolicyRow(name=f"nothing-{user.username}", value=1, changed_by=user.id))
    actor = Actor(user_id=user.id, channel="page", address="192.0.2.7")
    record(session, actor, Act(action="problem.published", target="scaled_sum"))
    record(session, actor, Act(action="token.revoked", target=uuid4(), subject_id=user.id))
    make_member(session, make_course(session, created_by=user.id), user, name="Ada Lovelace")
    assignment = make_assignment(session, make_course(session))
    session.add(Extension(assignment_id=assignment.id, user_id=user.id))
    session.add(Sitting(assignment_id=assignment.id, user_id=user.id, addresses=["192.0.2.1"]))
    session.add(Adjustment(assignment_id=assignment.id, user_id=user.id, kind="zero", reason="none"))
    session.add(ShownGrade(assignment_id=assignment.id, user_id=user.id, why="release"))
    session.add(RegradeRequest(assignment_id=assignment.id, user_id=user.id, text="why"))
    session.add(Comment(submission_id=make_submission(session).id, author_id=user.id, text="well done"))
    other = make_user(session).id
    session.add(Adjustment(assignment_id=assignment.id, user_id=other, kind="zero", reason="none", created_by=user.id))
    question = RegradeRequest(assignment_id=assignment.id, user_id=other, text="why", answer="so")
    question.answered_by, question.answered_at = user.id, datetime.now(UTC)
    session.add(question)
    session.add(Extension(assignment_id=assignment.id, section="Mon", created_by=user.id))


def _make_work(session: Session, user_id: UUID) -> None:
    user, revision = session.get_one(User, user_id), make_problem(session)
    own = {"user_id": user_id, "problem_id": revision.problem_id}
    submission = make_submission(session, user, revision)
    submission.source = SOURCE
    judging = make_judging(session, submission.id, verdict="accepted", score=100, attempt=1)
    case = {"visibility": "sample", "verdict": "accepted", "report": {}, "wall_seconds": 0.1, "memory_bytes": 1}
    session.add(CaseRow(judging_id=judging.id, attempt=1, position=0, sequence=0, name="small", **case))
    session.add(
        Measurement(
            judging_id=judging.id, revision_id=judging.revision_id, machine="here", wall_seconds=1.0, memory_bytes=1
        )
    )
    _make_pair(session, user_id, submission)
    session.add(Draft(**own, source="not yet sent"))
    session.add(HintReveal(**own, number=1, revision_id=revision.id))
    session.add(SolutionView(**own, revision_id=revision.id))
    attempt = QuizAttempt(**own, number=1, revision_id=revision.id)
    session.add(attempt)
    session.flush()
    session.add(QuizAnswer(attempt_id=attempt.id, question=0, choice=1, is_right=True))
    session.add(SharedSolution(**own, submission_id=submission.id, length=len(SOURCE)))
    post = Post(**own, title=QUESTION, body=QUESTION)
    session.add(post)
    session.flush()
    session.add(EntryReport(user_id=user_id, post_id=post.id, reason="a reason"))
    session.add(Bookmark(**own))
    session.add(Note(**own, text=f"a thought of {user.username}"))
    session.add(Verification(user_id=user_id, slug="sum", files={}, digest="d", publish=True))
    session.add(Publication(problem_id=revision.problem_id, revision_id=revision.id, user_id=user_id))
    session.add(Rejudging(created_by=user_id, decided_by=user_id, chosen={}, onto="own", total=0))
    session.flush()


def _make_pair(session: Session, user_id: UUID, submission: Submission) -> None:
    """A pair with the user's program, and one that the user dismissed."""
    check = SimilarityCheck(problem_id=submission.problem_id, compared="all", created_by=user_id)
    session.add_all([check, Fingerprint(submission_id=submission.id, version=1, lines=1)])
    session.flush()
    others = [make_submission(session).id for _ in range(2)]
    pair = {"check_id": check.id, "right_id": others[0], "similarity": 90.0, "blocks": []}
    session.add(SimilarPair(number=1, left_id=submission.id, **pair))
    session.add(SimilarPair(number=2, left_id=others[1], dismissed_by=user_id, **pair))
    session.flush()
