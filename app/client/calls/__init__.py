"""Made from the OpenAPI document by `make api`; not edited by hand."""

from app.client.calls.administration import AdministrationCalls
from app.client.calls.authors import AuthorsCalls
from app.client.calls.discussions import DiscussionsCalls
from app.client.calls.health import HealthCalls
from app.client.calls.invitations import InvitationsCalls
from app.client.calls.learning import LearningCalls
from app.client.calls.operations import OperationsCalls
from app.client.calls.problems import ProblemsCalls
from app.client.calls.rejudging import RejudgingCalls
from app.client.calls.sessions import SessionsCalls
from app.client.calls.submissions import SubmissionsCalls
from app.client.calls.tokens import TokensCalls
from app.client.calls.tracks import TracksCalls
from app.client.calls.users import UsersCalls


class Calls(
    UsersCalls,
    TokensCalls,
    SessionsCalls,
    ProblemsCalls,
    TracksCalls,
    SubmissionsCalls,
    LearningCalls,
    DiscussionsCalls,
    AuthorsCalls,
    InvitationsCalls,
    RejudgingCalls,
    OperationsCalls,
    AdministrationCalls,
    HealthCalls,
):
    """All calls of the API."""
