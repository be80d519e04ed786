"""Made from the OpenAPI document by `make api`; not edited by hand."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from app.client.answer import Answer


class AcceptedView(Answer):
    name: str
    source: str


class Account(Answer):
    """
    A user with their ways to sign in: a password, `providers` (issuers), and counts of valid sessions and tokens.

    `unfinished`: submissions in the queue or being judged.
    """

    id: UUID
    username: str
    email: str | None
    role: Literal["student", "author", "admin"]
    state: Literal["active", "suspended", "erased"]
    is_ranked: bool
    created_at: datetime
    erased_at: datetime | None
    last_seen_at: datetime | None
    submissions: int
    has_password: bool
    providers: list[str]
    sessions: int
    tokens: int
    unfinished: int


class AccountChange(Answer):
    """
    A field that you leave out stays as it is. Changing `email` needs the `password`.
    """

    is_ranked: bool = Field(
        False,
        description="whether leaderboards show your name and your solutions' time and memory",
    )
    email: str | None = Field(None, description="null: remove it")
    password: str = Field("", description="your current password")


class ActiveDay(Answer):
    """
    A day with submissions. `solved` counts the problems first solved on that day.
    """

    day: date
    submissions: int
    solved: int


class AnsweredView(Answer):
    choice: int = Field(..., description="the index of your choice, from 0")
    is_right: bool
    right_choice: int
    explanation: str | None = Field(..., description="Markdown")
    answered_at: datetime


class AskedView(Answer):
    question: str = Field(..., description="Markdown")
    choices: list[str]
    answered: AnsweredView | None = Field(..., description="null until you have answered")


class Attempts(Answer):
    """
    What students made of a problem, counted every few minutes.
    """

    students: int = Field(..., description="how many students have submitted it with all cases")
    submissions: int = Field(..., description="their judged submissions with all cases")
    solve_rate: float = Field(..., description="the share of these students who have solved it")
    acceptance_rate: float | None = Field(
        ...,
        description="the share of these submissions that were accepted; null below 10 submissions",
    )


class AuditEntry(Answer):
    id: int
    at: datetime
    actor: str | None = Field(
        ...,
        description="a user name; null for a command on the server, and for Allclose itself",
    )
    channel: Literal["page", "api", "command", "worker", "retention"] = Field(
        ...,
        description="the part of Allclose that acted; `worker` publishes packages, `retention` removes old rows",
    )
    action: str = Field(..., description="the action, as `kind.verb`")
    target_kind: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    address: str | None = Field(..., description="the actor's network address")
    request_id: str | None = Field(..., description="identifies the request in the server's log")
    operator: str | None = Field(
        ...,
        description="for a command: the name of the person who ran it, on that machine",
    )
    about: str | None = Field(..., description="the user name of the owner of the account or thing")


class AuditPage(Answer):
    """
    `next` is the cursor of the next page; null on the last page.
    """

    items: list[AuditEntry]
    next: str | None


class Bar(Answer):
    """
    A bar of a histogram: what is above the bar before it, and at most `most`. The last bar has no `most`.
    """

    most: float | None
    count: int


class BatchedSubmission(Answer):
    """
    One submission of a batch. A wrong value here refuses this submission only.
    """

    problem: str = Field(..., description="the slug")
    source: str = Field(
        ...,
        description="Python code: at most 262144 bytes in UTF-8, not blank, without NUL",
    )
    mode: Literal["submit", "sample"] = Field("submit", description="as in a single submission")
    inputs: str | None = Field(None, description="your custom input, as in a single submission")


class BookmarkView(Answer):
    bookmarked_at: datetime


class Calls(Answer):
    """
    `calls`: one of `Call`, or a parameter of type `function`.

    `count`, or `at_least` and `at_most`: each a number, or the name of an `int` parameter or a symbolic size.
    """

    calls: str
    count: int | str | None = None
    at_least: int | str | None = None
    at_most: int | str | None = None


class Cancelled(Answer):
    submissions: int = Field(..., description="the number of submissions that were cancelled")


class Candidate(Answer):
    submission: UUID
    problem: str = Field(..., description="the slug")
    user: str = Field(..., description="the user name")
    created_at: datetime
    verdict: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    score: int | None
    revision: int = Field(..., description="the number of the revision it was judged on")


class CaseChange(Answer):
    """
    A case whose verdict differs. A side is null if its revision has no such case, or the case did not run.
    """

    name: str
    old: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    new: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )


class CaseCost(Answer):
    """
    CPU seconds of the slowest accepted solution: its first call with the case in a process, and its second one.

    `group` is the number of the case's shape, from 0.
    """

    case: str
    group: int
    first_seconds: float
    again_seconds: float


class CaseCount(Answer):
    name: str
    failed: int = Field(..., description="submissions whose answer to this case was not accepted")
    judged: int = Field(..., description="submissions that have a result for this case")
    near: int = Field(
        ...,
        description="submissions whose answer used 0.5 to 2 times the tolerance of this case",
    )


class CaseTime(Answer):
    """
    The least times of one case, rounded to two digits.
    """

    name: str = Field(..., description="the case")
    seconds: float = Field(..., description="the submission's least time")
    reference_seconds: float = Field(..., description="the reference's, in the same kind of box on the same machine")
    ratio: float = Field(..., description="the submission's time over the reference's")


class CaseView(Answer):
    """
    The result of a case. It holds only what the student may see: hidden cases have coarse numbers.
    """

    name: str
    visibility: Literal["sample", "hidden"]
    verdict: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]


class CauseView(Answer):
    kind: str
    cause: str
    count: int
    open: int = Field(..., description="judge errors that still count: they were not judged again")
    latest_at: datetime


class CheckLine(Answer):
    """
    A check. `summary` is half a line: what was checked and how it came out, or why the check was skipped.
    """

    check: Literal[
        "lint",
        "reference",
        "known",
        "trivial",
        "mutation",
        "kill_matrix",
        "calibration",
        "limits",
        "mistakes",
    ]
    title: str
    mark: Literal["passed", "warned", "failed", "skipped"]
    summary: str
    seconds: float = 0.0


class Checks(Answer):
    """
    Each check is `ok` or says what is wrong. Without a worker the service answers, and submissions wait.
    """

    database: str
    schema_: str = Field(..., alias="schema")
    worker: str


class Choice(Answer):
    """
    Leaves out samples unless `samples` is true, and cancelled submissions without that `verdict` or `ids`.
    """

    problem: str | None = Field(None, description="the slug of a problem")
    revision: int | None = Field(None, description="judged on the problem's revision with this number")
    outdated: bool = Field(False, description="judged on another revision than the problem's current one")
    since: datetime | None = Field(None, description="sent at this time or later")
    until: datetime | None = Field(None, description="sent before this time")
    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    ) = Field(None, description="with this verdict")
    cause: str | None = Field(
        None,
        description="with a judge error of this cause, one of `GET /judge-errors/causes`",
    )
    user: str | None = Field(None, description="sent by the user with this name")
    ids: list[UUID] | None = Field(None, description="these submissions")
    samples: bool = Field(False, description="true: also runs of sample cases")


class Closeness(Answer):
    """
    Every element within the tolerance.
    """

    checker: Literal["closeness"]


class CompletionView(Answer):
    completed_at: datetime


class Confirmation(Answer):
    password: str


class Confusion(Answer):
    """
    Two known mistakes that can't be told apart, and the cases where both give the same wrong answer.
    """

    first: str
    second: str
    cases: list[str]


class Distribution(Answer):
    """
    Samples of the expected samples' distribution, or of a law.
    """

    checker: Literal["distribution"]
    law: (
        Literal[
            "normal",
            "uniform",
            "exponential",
            "laplace",
            "logistic",
            "gumbel",
            "cauchy",
        ]
        | None
    ) = None
    loc: float | None = None
    scale: float | None = None
    false_reject_rate: float = 1e-06


class DraftView(Answer):
    """
    The editor's content now. `has_other`: an earlier draft that was never submitted is kept beside it.
    """

    problem: str
    source: str
    saved_at: datetime
    has_other: bool


class Due(Answer):
    """
    Rows that are due for removal.
    """

    name: str
    setting: str | None = Field(..., description="the setting with the number of days; null for a fixed rule")
    days: int
    count: int = Field(..., description="at most 10000 are counted")


class Efficiency(Answer):
    """
    The limits on time, relative to the reference. `warm_up`: the first call for each size does not count.
    """

    max_time_ratio: float
    max_growth: float | None = None
    warm_up: bool = True


class Ended(Answer):
    sessions: int = Field(..., description="the number of browsers that were signed out")


class Entry(Answer):
    """
    A user's best solution. `submission_id` is None for other users' entries.
    """

    place: int
    username: str
    ratio: float
    sent_at: datetime
    is_own: bool
    submission_id: UUID | None


class Exact(Answer):
    """
    The same bits in every element. Any NaN equals any other.
    """

    checker: Literal["exact"]


class Exercise(Answer):
    """
    Problems with the same `name` are one exercise in several frameworks. `label` names the difference.
    """

    name: str
    label: str


class ExerciseVersion(Answer):
    """
    The same exercise in another framework, or the problem itself.
    """

    slug: str
    title: str
    label: str = Field(..., description="what differs, in a few words")
    frameworks: list[Literal["numpy", "jax", "flax", "optax", "torch"]]


class FieldFault(Answer):
    """
    One thing wrong with the request.
    """

    field: str = Field(
        ...,
        description="a key of the body (`a/b` inside objects), a query parameter or a header",
    )
    message: str = Field(..., description="what is wrong, and what to send instead")
    file: str | None = Field(None, description="for a package: the path of the file")
    line: int | None = Field(None, description="for a package: the line of that file, from 1")
    remedy: str | None = Field(None, description="for a package: what to do")


class Finding(Answer):
    """
    A fault with its remedy. `file` is inside the package, `line` counts from 1, `details` may be a diff.
    """

    check: Literal[
        "lint",
        "reference",
        "known",
        "trivial",
        "mutation",
        "kill_matrix",
        "calibration",
        "limits",
        "mistakes",
    ]
    severity: Literal["error", "warning", "note"]
    message: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    details: str = ""


class FolderSize(Answer):
    name: str
    bytes: int | None = Field(
        ...,
        description="null if this process may not read it, or it has too many files",
    )


class Forbids(Answer):
    """
    A word of `uses`, or the name of an operation without its dialect: `dot_general`, `custom_call`, `sort`.
    """

    forbids: list[str]


class ForbidsCalls(Answer):
    """
    Full names of functions, or `module.*` for all functions of a module.
    """

    forbids_calls: list[str]


class ForbidsSyntax(Answer):
    """
    Constructs of Python.

    `comprehension` includes generator expressions; `if` includes `match` and `a if b else c`.
    """

    forbids_syntax: list[
        Literal[
            "comprehension",
            "dynamic code",
            "for",
            "if",
            "lambda",
            "matmul",
            "try",
            "while",
        ]
    ]


class Gradient(Answer):
    """
    ‖answer − expected‖ ≤ relative · max(‖answer‖, ‖expected‖), or ≤ absolute.
    """

    checker: Literal["gradient"]
    relative: float
    absolute: float = 0.0


class Health(Answer):
    status: str


class HintCount(Answer):
    number: int = Field(..., description="the hint's number, from 1")
    students: int = Field(..., description="how many of these students revealed it")


class HintView(Answer):
    number: int = Field(..., description="from 1")
    text: str = Field(..., description="Markdown, with formulas in $…$")
    revealed_at: datetime


class HintsView(Answer):
    """
    `revealed` has the hints that you asked for, in order.
    """

    total: int
    revealed: list[HintView]


class Input(Answer):
    """
    A value that a case gives to the driver, which makes the solution's arguments from it.
    """

    type: Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "list", "dict"]
    shape: list[int | str | Literal["..."]] | None = None
    dtype: (
        Literal[
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bfloat16",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ]
        | None
    ) = None
    doc: str | None = None
    name: str
    leaves: Literal["jax", "torch", "numpy"] | None = None
    nullable: bool = False
    static: bool = False


class InspectedJudging(Answer):
    """
    One judging of a submission, as admins see it. Values of hidden cases are not stored, so they are not here.
    """

    id: int
    revision: int = Field(..., description="the number of the revision it was judged on")
    is_current: bool = Field(..., description="whether it counts: exactly one judging of a submission does")
    rejudging_id: UUID | None = Field(..., description="its rejudging; null for the first judging")
    queue: str
    priority: int
    state: Literal["queued", "judging", "done"]
    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    score: int | None
    attempt: int = Field(..., description="the number of times that a worker began it")
    worker: str | None
    image: str | None
    versions: dict[str, Any] | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    hint: str | None
    reason: str | None = Field(..., description="why it is a judge_error, or was judged again")
    request_id: str | None = Field(..., description="identifies the request that made it in the server's log")


class InspectedJudgingList(Answer):
    """
    Newest first.
    """

    items: list[InspectedJudging]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class InvitationEntry(Answer):
    """
    An invitation in the list, without its link. `created_by` and `used_by` are user names.
    """

    id: UUID
    state: Literal["open", "used", "expired", "revoked"]
    role: Literal["student", "author", "admin"]
    email: str | None
    note: str
    created_by: str | None = Field(..., description="null: made by a command on the server")
    created_at: datetime
    expires_at: datetime
    used_by: str | None
    used_at: datetime | None
    revoked_at: datetime | None


class InvitationList(Answer):
    items: list[InvitationEntry]
    next: str | None = Field(..., description="the `cursor` of the next page; null on the last page")


class InvitationWish(Answer):
    """
    The invitation to make.
    """

    role: Literal["student", "author", "admin"] = Field("student", description="the role of the new account")
    email: str | None = Field(
        None,
        description="where Allclose mails the link, if the deployment sends mail; the new user may choose another",
    )
    note: str = Field("", description="a note for admins")
    days: int = Field(7, description="the days until it expires")


class JudgeErrorView(Answer):
    judging: int
    submission: UUID
    problem: str
    mode: str
    kind: str = Field(..., description="the class of the error")
    cause: str = Field(
        ...,
        description="the class and first line of the last attempt's error, without digits",
    )
    reason: str | None = Field(..., description="the error of each attempt")
    worker: str | None
    attempts: int
    is_current: bool = Field(..., description="false: a later judging of the submission counts")
    request_id: str | None
    finished_at: datetime


class JudgingView(Answer):
    """
    One judging. `replaced_at`: when another judging replaced it; null for the one that counts.
    """

    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    score: int | None
    state: Literal["queued", "judging", "done"]
    revision: int = Field(..., description="the number of the revision that it was judged on")
    queued_at: datetime
    finished_at: datetime | None
    replaced_at: datetime | None


class KillCase(Answer):
    """
    A case. `mutants` counts those known to fail here. `only_here`: wrong submissions that fail no other case.
    """

    name: str
    visibility: Literal["sample", "hidden"]
    submissions: int
    mutants: int
    only_here: list[str]


class KillRow(Answer):
    """
    A wrong submission, with the cases that it failed and passed.
    """

    name: str
    verdict: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    failed: list[str]
    passed: list[str]


class KnownResult(Answer):
    """
    A known submission. `decisive` is the case that gave the verdict, None if all cases were accepted.
    """

    name: str
    file: str
    expected: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    verdict: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    decisive: str | None = None
    category: str | None = None
    wall_seconds: float


class KnownSection(Answer):
    submissions: list[KnownResult]


class LastProblem(Answer):
    """
    The listed problem that you worked on last, of those that you have not solved.
    """

    slug: str
    title: str
    state: Literal["new", "tried", "solved", "completed"]
    worked_at: datetime = Field(..., description="when you saved your draft or submitted, whichever was later")
    has_unsent_draft: bool = Field(..., description="whether you have typed since your last submission")
    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    ) = Field(
        ...,
        description="of your last submission; null without one, or while it is judged",
    )


class Leaderboard(Answer):
    """
    `own` is the viewer's best solution with its place, even if the viewer is not on the list.
    """

    problem: str
    title: str
    by: Literal["time", "memory"]
    entries: list[Entry]
    own: Entry | None
    is_ranked: bool


class Limits(Answer):
    """
    Limits per case. With `gpu`, submissions go to the queue `gpu`.
    """

    wall_seconds: float = 10.0
    memory_mib: int = 1024
    gpu: bool = False


class LintSection(Answer):
    rules: list[str] = Field(..., description="the rules that were checked")


class ListedProblem(Answer):
    """
    A problem in a list. `prerequisites` are slugs.
    """

    slug: str
    title: str
    summary: str
    difficulty: Literal["beginner", "intermediate", "advanced"]
    estimated_minutes: int
    tags: list[str]
    track: str | None
    position: int | None
    frameworks: list[Literal["numpy", "jax", "flax", "optax", "torch"]]
    attempts: Attempts | None = Field(None, description="null until 5 students have submitted it with all cases")
    prerequisites: list[str] = []
    state: Literal["new", "tried", "solved", "completed"] | None = Field(
        None, description="how far you are with it; null without a token"
    )
    is_bookmarked: bool | None = Field(None, description="whether you bookmarked it; null without a token")


class Margin(Answer):
    """
    Accepted: |answer − expected| ≤ atol + rtol · |expected|.
    """

    rtol: float
    atol: float


class MaxEquations(Answer):
    max_equations: int


class MaxFlopsRatio(Answer):
    """
    A loop of unknown length counts as one step, but fails if the reference has no such loop.
    """

    max_flops_ratio: float


class Measured(Answer):
    """
    The largest error of an answer: `value` is its share of the tolerance, so that 1.0 is the limit.

    `case` is where it occurs. `absolute` and `relative` are the largest errors of elements there.
    """

    kind: Literal["reference", "accepted", "wrong", "mutant"]
    label: str
    case: str
    value: float
    absolute: float | None = None
    relative: float | None = None


class Memory(Answer):
    """
    A limit, either in MiB or as a ratio to the reference's memory.
    """

    mib: float | None = None
    ratio: float | None = None


class Mistake(Answer):
    name: str
    hint: str | None
    cases: list[str] = Field(..., description="where its output is wrong")


class MistakeCount(Answer):
    hint: str = Field(..., description="the explanation of a known mistake, as students read it")
    students: int = Field(..., description="how many students made it")


class MistakesSection(Answer):
    mistakes: list[Mistake]
    confusions: list[Confusion]


class Move(Answer):
    """
    The number of submissions that went from one verdict to another.
    """

    old: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    new: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    count: int


class Mutant(Answer):
    """
    A mutant of the reference. `line` is in the reference's file, `diff` is unified, `killed_by` may be incomplete.

    `outcome`: `equivalent` gives the same bits in every run, `rounding` differs from them only by rounding; neither
    counts. `how` is the category of the failure that kills it. `largest` is its largest error as a share of the
    tolerance, if there is one. `suggestion` says what would kill a survivor.
    """

    operator: str
    line: int
    diff: str
    outcome: Literal["killed", "survived", "equivalent", "rounding"]
    killed_by: list[str] = []
    how: str = ""
    largest: float | None = None
    suggestion: str = ""


class MutationSection(Answer):
    """
    `mutants` is the sample that ran, of `possible` ones. `strength` is the share of killed ones that count.
    """

    possible: int
    mutants: list[Mutant]
    strength: float | None


class NewAnswer(Answer):
    """
    Both are indices into the lists of `GET`, from 0.
    """

    question: int
    choice: int


class NewBatch(Answer):
    submissions: list[BatchedSubmission]


class NewInvitationView(Answer):
    """
    The only answer that ever has `link` and `invitation`: pass one of them on.
    """

    id: UUID
    state: Literal["open", "used", "expired", "revoked"]
    role: Literal["student", "author", "admin"]
    email: str | None
    note: str
    expires_at: datetime
    link: str
    invitation: str = Field(..., description="for `POST /users`")


class NewNote(Answer):
    text: str = Field(..., description="plain text; an empty one removes the note")


class NewPassword(Answer):
    """
    The new password.
    """

    password: str = Field(..., description="at least 10 characters, at most 1024 bytes in UTF-8")


class NewPreview(Answer):
    """
    The rejudging to preview.
    """

    chosen: Choice = Field(..., description="the submissions to judge again")
    onto: Literal["own", "current"] = Field("own", description="the revision to judge on, as for a rejudging")


class NewQuestion(Answer):
    title: str = Field(..., description="all readers see it")
    body: str = Field(..., description="Markdown, with formulas in $…$")
    is_spoiler: bool = Field(
        False,
        description="true: the body is withheld until the solution is open to the reader",
    )


class NewRejudging(Answer):
    """
    A submission must match all criteria that you give. Give at least one.
    """

    chosen: Choice = Field(..., description="the submissions to judge again")
    onto: Literal["own", "current"] = Field(
        "own",
        description="the revision to judge on: `own`, the one of the submission's current verdict, or `current`, the problem's current one",
    )
    note: str = Field("", description="why, for other admins")


class NewReply(Answer):
    body: str = Field(..., description="Markdown, with formulas in $…$")
    is_spoiler: bool = Field(
        False,
        description="true: the body is withheld until the solution is open to the reader",
    )


class NewReport(Answer):
    """
    You report an entry once; a second report changes nothing. After a moderator's decision it is refused.
    """

    reason: str = Field(..., description="what is wrong")


class NewSubmission(Answer):
    """
    A solution, and the cases to run it on.
    """

    source: str = Field(
        ...,
        description="Python code: at most 262144 bytes in UTF-8, not blank, without NUL",
    )
    mode: Literal["submit", "sample"] = Field(
        "submit", description="`submit` runs every case, `sample` only the sample cases"
    )
    inputs: str | None = Field(
        None,
        description="with mode `sample`: your custom input as YAML, a key for each parameter, instead of the sample cases. The reference's answer is expected. Start from the problem's `example_inputs`",
    )


class NewTokenView(Answer):
    """
    The only answer that ever has `token`: store it.
    """

    id: UUID
    name: str
    token: str
    scopes: list[str] | None
    created_at: datetime
    expires_at: datetime | None


class NewUser(Answer):
    """
    The account to make.
    """

    username: str = Field(..., description="use 3 to 32 characters of a-z, 0-9, _ and -")
    password: str = Field(..., description="at least 10 characters, at most 1024 bytes in UTF-8")
    email: str | None = None
    invitation: str | None = Field(
        None,
        description="the secret of an invitation, which is the end of its link: the account gets its role",
    )


class NoteView(Answer):
    text: str = Field(..., description="plain text; empty without a note")
    saved_at: datetime | None = Field(..., description="null without a note")


class Outcome(Answer):
    """
    The result of one judging. `verdict` is null while it waits.
    """

    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    score: int | None
    revision: int = Field(..., description="the number of the revision that it was judged on")


class Parameter(Answer):
    """
    A parameter of the solution. `leaves` is the kind of the arrays in a list or mapping, `dtype` their default type.

    `static`: the value is known while JAX traces the solution, so shapes and lengths may depend on it.
    """

    type: Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "list", "dict"] | str
    shape: list[int | str | Literal["..."]] | None = None
    dtype: (
        Literal[
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bfloat16",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ]
        | None
    ) = None
    doc: str | None = None
    name: str
    leaves: Literal["jax", "torch", "numpy"] | None = None
    nullable: bool = False
    static: bool = False


class PartView(Answer):
    """
    A part of the problem, and what the submission earned there.
    """

    name: str
    title: str
    points: int = Field(..., description="what the part counts")
    earned: int | None = Field(
        ...,
        description="these points, or 0 if a case is not accepted; null without a score",
    )
    accepted: int = Field(..., description="how many cases of the part are accepted so far")
    cases: int = Field(..., description="how many cases of the part the submission is judged on")


class PasswordChange(Answer):
    current: str
    new: str = Field(..., description="at least 10 characters, at most 1024 bytes in UTF-8")


class Person(Answer):
    """
    A user in the list. `submissions` counts all of the user's submissions, also runs of samples.

    `last_seen_at`: the last request with a browser or token, to the minute; None for never, or too long ago.
    """

    id: UUID
    username: str
    email: str | None
    role: Literal["student", "author", "admin"]
    state: Literal["active", "suspended", "erased"]
    is_ranked: bool
    created_at: datetime
    erased_at: datetime | None
    last_seen_at: datetime | None
    submissions: int


class PersonPage(Answer):
    """
    `next` is the cursor of the next page; None on the last page.
    """

    items: list[Person]
    next: str | None


class Phase(Answer):
    name: Literal[
        "queued",
        "preparing",
        "box",
        "running",
        "inspecting",
        "again",
        "timing",
        "waiting",
        "checking",
    ]
    seconds: float | None = Field(..., description="null while the phase goes on, or if it was interrupted")


class Piece(Answer):
    """
    A part of a line. `is_changed`: the line beside it does not have this part.
    """

    text: str
    is_changed: bool


class PostCreated(Answer):
    id: UUID


class PostDecided(Answer):
    decision: Literal["hide", "show", "dismiss", "lock", "unlock", "mark_spoiler", "unmark_spoiler"] = Field(
        ..., description="`dismiss` closes the reports and changes nothing else"
    )


class PostEdit(Answer):
    """
    All texts of the post. An answer has no title.
    """

    title: str = Field("", description="empty for an answer")
    body: str = Field(..., description="Markdown, with formulas in $…$")
    is_spoiler: bool = Field(
        False,
        description="true: the body is withheld until the solution is open to the reader",
    )


class PostView(Answer):
    """
    A question or an answer as its reader may see it; `body` is Markdown.

    `username` is None, and the texts are empty, if it is deleted or hidden from the reader. `is_withheld`: the body is
    left out, or code blocks in it, until the solution of the problem is open to the reader.
    """

    id: UUID
    username: str | None
    title: str
    body: str
    created_at: datetime
    edited_at: datetime | None
    is_own: bool
    is_spoiler: bool
    is_withheld: bool
    is_deleted: bool
    is_hidden: bool


class Preview(Answer):
    """
    The submissions that a choice matches.
    """

    total: int = Field(
        ...,
        description="the submissions to judge again; the limit is 20000, and 20001 means more",
    )
    unfinished: int = Field(
        ...,
        description="matching submissions that are not judged yet, and are left out",
    )
    older: int = Field(
        ...,
        description="submissions that would be judged on an older revision than now, because the problem went back to an earlier revision",
    )
    items: list[Candidate] = Field(..., description="the first 50 by time")


class ProblemChange(Answer):
    availability: Literal["draft", "unlisted", "listed", "withdrawn"] = Field(
        ...,
        description="`listed`; `unlisted`: in no list, but open to everyone who knows the address; `draft`: for authors only; `withdrawn`: everyone can read it, and it takes no new submissions",
    )


class ProblemPage(Answer):
    """
    In the order of the tracks, or with `q` the best match first. `next` is the next page's `cursor`, or null.
    """

    items: list[ListedProblem]
    next: str | None
    corrected_q: str | None = Field(
        None,
        description="the words that these problems match, if none matched `q` because of typing errors",
    )


class ProblemPart(Answer):
    """
    A group of cases. Its points count if all of its cases are accepted.
    """

    name: str
    title: str
    points: int


class ProblemRef(Answer):
    """
    A reference to a problem.
    """

    slug: str
    title: str
    state: Literal["new", "tried", "solved", "completed"] | None


class ProgressView(Answer):
    hints: int = Field(..., description="the number of hints")
    hints_revealed: int
    questions: int = Field(..., description="the number of quiz questions")
    questions_answered: int = Field(..., description="in the last attempt")
    questions_right: int
    solution: Literal["accepted", "asked"] | None = Field(
        ..., description="why the solution is open; null while it is locked"
    )
    solution_shown_at: datetime | None = Field(
        ..., description="when you asked to see the solution before solving the problem"
    )
    solved_at: datetime | None = Field(..., description="when you sent your first accepted submission")
    solved_after_seeing_the_solution: bool
    completed_at: datetime | None
    bookmarked_at: datetime | None


class Property(Answer):
    """
    The verdict of the package's checker.py.
    """

    checker: Literal["property"]
    shape: Literal["same", "any"] = "same"


class PublicationView(Answer):
    at: datetime
    by: str | None = Field(..., description="a user name; null where the server took it from its folder")
    verification: UUID | None = Field(
        ...,
        description="the verification that it passed; null where it was a revision before",
    )


class QuestionSummary(Answer):
    """
    One line of a problem's questions. `username` is None, and `title` empty, once the question is deleted.
    """

    id: UUID
    title: str
    username: str | None
    created_at: datetime
    answers: int
    is_own: bool
    is_spoiler: bool
    is_hidden: bool
    is_locked: bool


class QueueView(Answer):
    """
    `kind`: interactive if a student waits for the verdict, or rejudge.
    """

    queue: str
    kind: Literal["interactive", "rejudge"]
    depth: int = Field(..., description="waiting judgings")
    oldest_seconds: float = Field(..., description="the age of the longest waiting judging; 0 if none waits")
    running: int = Field(..., description="running judgings")


class QuizView(Answer):
    """
    `attempt` counts from 1; it is 0 before the first answer.
    """

    attempt: int
    questions: list[AskedView]


class Readiness(Answer):
    status: Literal["ready"] = "ready"
    checks: Checks


class Receipt(Answer):
    """
    The submission is stored and will be judged. `Location` is its path.
    """

    id: UUID
    state: Literal["queued", "judging", "done"]
    notice: str | None = Field(..., description="a sentence about why no worker judges it now; null otherwise")


class ReferenceRun(Answer):
    """
    A run of the reference: the `order` of the cases, and whether it `agrees` with the expected outputs.
    """

    order: list[str]
    agrees: bool


class ReferenceSection(Answer):
    runs: list[ReferenceRun]


class Refusal(Answer):
    """
    The error of one submission, as the answer to a single one would have it.
    """

    status: int
    code: Literal[
        "body_unreadable",
        "not_signed_in",
        "sign_in_failed",
        "right_missing",
        "solution_locked",
        "refused",
        "path_unknown",
        "problem_not_found",
        "not_found",
        "method_not_allowed",
        "conflict",
        "removal_unconfirmed",
        "outdated",
        "body_too_large",
        "body_too_slow",
        "media_type_not_taken",
        "cursor_invalid",
        "inputs_invalid",
        "package_invalid",
        "invalid",
        "too_often",
        "limit_reached",
        "failed",
        "not_ready",
        "database_away",
        "disk_full",
        "request_refused",
    ]
    detail: str = Field(..., description="what is wrong and what to do, for people")
    errors: list[FieldFault] | None = Field(None, description="for status 422: the wrong fields")
    retry_after: int | None = Field(None, description="for status 429: the seconds until the quota may be free")


class RejudgingSummary(Answer):
    """
    `judging` until all submissions are judged, then `ready` to be applied or cancelled. That decision is final.

    `overtaken` instead of `ready` if another rejudging of some of the same submissions was applied since: this one can
    only be cancelled.
    """

    id: UUID
    state: Literal["judging", "ready", "overtaken", "applied", "cancelled"]
    created_at: datetime
    by: str | None = Field(
        ...,
        description="the user name of the admin who began it; null for a command on the server",
    )
    note: str
    chosen: Choice = Field(..., description="the criteria")
    onto: Literal["own", "current"] = Field(
        ...,
        description="the revision to judge on: `own`, the one of the submission's verdict at the time, or `current`, the problem's current one",
    )
    total: int = Field(..., description="the number of submissions when it began")
    judged: int = Field(
        ...,
        description="the number judged again so far, or when it was applied or cancelled",
    )
    overtaken: int = Field(
        ...,
        description="the number that another applied rejudging has judged again since; 0 after the decision",
    )
    decided_at: datetime | None = Field(..., description="when it was applied or cancelled; null before the decision")
    decided_by: str | None = Field(
        ...,
        description="the user name of the admin who decided; null before the decision and for a command",
    )


class RejudgingView(Answer):
    """
    A rejudging and its changes. `failed` submissions are judge errors and keep their old verdicts.

    `total` is the sum of `kinds` and `gone`.
    """

    id: UUID
    state: Literal["judging", "ready", "overtaken", "applied", "cancelled"]
    created_at: datetime
    by: str | None = Field(
        ...,
        description="the user name of the admin who began it; null for a command on the server",
    )
    note: str
    chosen: Choice = Field(..., description="the criteria")
    onto: Literal["own", "current"] = Field(
        ...,
        description="the revision to judge on: `own`, the one of the submission's verdict at the time, or `current`, the problem's current one",
    )
    total: int = Field(..., description="the number of submissions when it began")
    judged: int = Field(
        ...,
        description="the number judged again so far, or when it was applied or cancelled",
    )
    overtaken: int = Field(
        ...,
        description="the number that another applied rejudging has judged again since; 0 after the decision",
    )
    decided_at: datetime | None = Field(..., description="when it was applied or cancelled; null before the decision")
    decided_by: str | None = Field(
        ...,
        description="the user name of the admin who decided; null before the decision and for a command",
    )
    kinds: dict[str, int] = Field(
        ...,
        description="the number of submissions that are the same, better, worse, …, also of waiting ones",
    )
    gone: int = Field(
        ...,
        description="the number of deleted submissions: their users were erased, or retention removed them",
    )
    moves: list[Move] = Field(..., description="the judged submissions, by old and new verdict")


class ReportView(Answer):
    """
    An open report. Exactly one of `question_id` and `submission_id` is set; `post_id` is the reported post.

    `excerpt` is the beginning of the reported text.
    """

    id: UUID
    reporter: str
    reason: str
    created_at: datetime
    problem: str
    author: str
    question_id: UUID | None
    post_id: UUID | None
    submission_id: UUID | None
    excerpt: str
    is_hidden: bool


class ResetAnswer(Answer):
    """
    The same answer for every account, known or unknown.
    """

    detail: str


class ResetLink(Answer):
    """
    A link with which anyone can choose the account's password: give it to the user only.
    """

    link: str
    expires_in_seconds: int


class ResetWish(Answer):
    """
    The account whose password was lost.
    """

    account: str = Field(..., description="a user name or an e-mail address")


class Returned(Answer):
    """
    One form of the solution's result.
    """

    type: Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "bytes", "list", "dict"]
    shape: list[int | str | Literal["..."]] | None = None
    dtype: (
        Literal[
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bfloat16",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ]
        | None
    ) = None
    doc: str | None = None


class Returns(Answer):
    """
    The declared result of the solution. `alternatives`: other forms that it has in some cases.

    `optional`: keys of a dict that a solution may leave out.
    """

    type: Literal["jax", "torch", "numpy", "float", "int", "bool", "str", "bytes", "list", "dict"]
    shape: list[int | str | Literal["..."]] | None = None
    dtype: (
        Literal[
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bfloat16",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ]
        | None
    ) = None
    doc: str | None = None
    alternatives: list[Returned] = Field([], validate_default=True)
    optional: list[str] = []


class RevisionState(Answer):
    problem: str = Field(..., description="the slug")
    title: str
    number: int
    digest: str
    is_current: bool
    created_at: datetime
    published_at: datetime | None = Field(
        ...,
        description="when it last became the problem's current revision; null if never",
    )
    published_by: str | None = Field(..., description="a user name; null if it came from the server's folder")
    verification: UUID | None = Field(..., description="its last verification on this server; null if there was none")
    verdict: Literal["passed", "refused", "failed"] | None = Field(..., description="the outcome of that verification")
    submissions: int = Field(
        ...,
        description="submissions whose current judging is on it; at most 1000 are counted",
    )
    variants: int = Field(..., description="the number of draws of its hidden inputs")
    ready_variants: int = Field(..., description="the number of variants with expected outputs")


class RevisionStates(Answer):
    items: list[RevisionState]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class RevisionView(Answer):
    """
    One version of a problem. `publications` lists each time that it became the current one.
    """

    number: int
    digest: str
    title: str
    created_at: datetime
    is_current: bool
    publications: list[PublicationView]


class RunView(Answer):
    started_at: datetime
    finished_at: datetime | None = Field(..., description="null while the run goes on, or if it was interrupted")
    removed: dict[str, Any] = Field(..., description="the number of removed rows, by kind")


class RunningView(Answer):
    judging: int
    submission: UUID
    problem: str
    user: str
    user_id: UUID
    queue: str
    kind: Literal["interactive", "rejudge"]
    worker: str
    attempt: int = Field(..., description="the number of this attempt, from 1")
    started_at: datetime = Field(..., description="when this attempt began")
    seconds: float = Field(
        ...,
        description="the time since this attempt began; a rejudge pauses while students' judgings need the cores",
    )


class SampleCase(Answer):
    """
    A sample case, which students see whole.
    """

    name: str
    doc: str | None
    inputs: dict[str, Any] | None = Field(..., description="previews by parameter; null if they are not known yet")
    expected: dict[str, Any] | None = Field(..., description="preview of the expected output; null likewise")


class SessionView(Answer):
    """
    A browser that is signed in. Allclose does not keep its cookie's secret.
    """

    id: UUID
    browser: str | None = Field(..., description="the browser's name and system")
    address: str | None = Field(..., description="the network address that it signed in from")
    created_at: datetime
    last_seen_at: datetime | None = Field(
        ..., description="to the minute; null before the first request after signing in"
    )
    expires_at: datetime


class Set(Answer):
    """
    The expected rows in any order, each as often as expected.
    """

    checker: Literal["set"]


class Setting(Answer):
    """
    `minimum` and `maximum` are for numbers, `max_length` for texts. `may_be_empty`: null is allowed.
    """

    name: str
    description: str
    value: str | int | None
    default: str | int | None
    choices: list[str] = []
    minimum: int | None = None
    maximum: int | None = None
    max_length: int | None = None
    may_be_empty: bool = False
    changed_by: str | None = Field(None, description="a user name; null for a default and for a command")
    changed_at: datetime | None = Field(None, description="null for a default")


class SettingList(Answer):
    items: list[Setting]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class SettingsChange(Answer):
    """
    A setting that you leave out stays as it is.
    """

    sign_up: Literal["open", "invitation", "closed"] = Field(
        "open",
        description="new accounts: open to everyone, only with an invitation, or closed",
    )
    discussions: Literal["on", "off"] = Field(
        "on",
        description="questions about problems and their answers; off: hidden from everyone, and kept",
    )
    shared_solutions: Literal["on", "off"] = Field(
        "on",
        description="accepted solutions that users share; off: hidden from everyone, and kept",
    )
    first_steps: Literal["on", "off"] = Field(
        "on",
        description="the list of first steps on the admin's overview, until all are done; off: hidden",
    )
    max_pending: int = Field(20, description="unfinished submissions per user")
    requests_per_minute: int = Field(600, description="limit of requests per minute, for each user or address")
    judging_seconds_per_hour: int = Field(3600, description="limit of judging seconds per hour, for each user")
    submissions_per_hour: int = Field(600, description="limit of submissions per hour, for each user")
    submitted_mib_per_hour: int = Field(
        8,
        description="limit of MiB of sources and custom inputs per hour, for each user",
    )
    max_queue_minutes: int = Field(
        10,
        description="new submissions are refused if they would wait longer than this many minutes; while the queue fills up, half of it is the limit",
    )
    keep_submissions_days: int | None = Field(
        None,
        description="age in days at which submissions are removed, except each user's first and last accepted one for each problem; empty: never",
    )
    keep_verifications_days: int | None = Field(
        None,
        description="age in days at which verifications are removed with their packages and reports, except verifications that published a revision; empty: never",
    )
    keep_ended_days: int | None = Field(
        90,
        description="number of days after which ended sessions, tokens and invitations are removed; empty: never",
    )
    announcement: str = Field("", description="a sentence at the top of every page; empty: no announcement")
    confirm_removal: bool = Field(
        False,
        description="true: a shorter retention may delete rows for good; otherwise the answer is a 409 with the counts",
    )


class ShapeCost(Answer):
    """
    CPU seconds that a shape costs the slowest accepted solution.

    `label` has the shapes, dtypes and static values that differ from the problem's other shapes. `first_seconds` is the
    first of its `cases`, in a process that has run other shapes. `further_seconds` is the mean of the others, or the
    same case again if there are none.
    """

    label: str
    cases: list[str]
    first_seconds: float
    further_seconds: float


class SharedDecided(Answer):
    decision: Literal["hide", "show", "dismiss"] = Field(
        ..., description="`dismiss` closes the reports and changes nothing else"
    )


class SharedSummary(Answer):
    """
    `ratio` is the solution's time over the reference's on the same machine, or None if it was not measured.
    """

    submission_id: UUID
    username: str
    ratio: float | None
    length: int
    shared_at: datetime
    is_own: bool
    is_hidden: bool


class Side(Answer):
    """
    One line of one source; `number` counts from 1.
    """

    number: int
    pieces: list[Piece]


class SizeTime(Answer):
    """
    The times at one size of the inputs: those of the case with the largest ratio to the reference's time.
    """

    size: int = Field(..., description="the size of the inputs, as the author counts it")
    seconds: float = Field(
        ...,
        description="the submission's least time for the case with the largest ratio",
    )
    reference_seconds: float = Field(..., description="the reference's least time for the same case")
    cases: list[CaseTime] = Field(
        [],
        description="all cases of this size, the largest ratio first; empty for old judgings",
        validate_default=True,
    )


class SolutionRequest(Answer):
    """
    Opens the solution without solving the problem. Allclose records it and shows it in your progress.
    """

    show_me: Literal[True]


class SolutionView(Answer):
    opened_by: Literal["accepted", "asked"] = Field(
        ...,
        description="`accepted`: you solved the problem; `asked`: you asked to see the solution",
    )
    shown_at: datetime | None = Field(..., description="when you asked to see it; null if you never did")
    reference: str = Field(..., description="Python")
    accepted: list[AcceptedView] = Field(..., description="other correct solutions")
    editorial: str | None = Field(..., description="Markdown, with formulas in $…$; null if there is none")


class SourceView(Answer):
    source: str


class Step(Answer):
    """
    A problem of a track. `is_open`: the user has solved each problem that it builds on.
    """

    slug: str
    title: str
    summary: str
    difficulty: Literal["beginner", "intermediate", "advanced"]
    estimated_minutes: int
    tags: list[str]
    track: str | None
    position: int | None
    frameworks: list[Literal["numpy", "jax", "flax", "optax", "torch"]]
    attempts: Attempts | None = Field(None, description="null until 5 students have submitted it with all cases")
    prerequisites: list[str] = []
    state: Literal["new", "tried", "solved", "completed"] | None = Field(
        None, description="how far you are with it; null without a token"
    )
    is_bookmarked: bool | None = Field(None, description="whether you bookmarked it; null without a token")
    builds_on: list[ProblemRef]
    is_open: bool


class SubmissionSummary(Answer):
    """
    One line of a history. `problem` is a slug, `revision` the number of the revision that judges it.

    `wall_seconds` and `memory_bytes` are the maximum over the cases. Those of hidden cases are coarse.
    """

    id: UUID
    user: str
    problem: str
    title: str
    revision: int
    mode: Literal["submit", "sample"]
    created_at: datetime
    state: Literal["queued", "judging", "done"]
    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    score: int | None
    wall_seconds: float | None
    memory_bytes: int | None


class TableSize(Answer):
    name: str
    bytes: int = Field(..., description="with indexes and TOAST")
    rows: int | None = Field(..., description="the database's estimate; null if it has none yet")


class TimeComparison(Answer):
    """
    A submission's times beside the reference's, by size. The numbers are rounded to two digits.
    """

    times: list[SizeTime] = Field(..., description="in order of size")
    ratio: float = Field(
        ...,
        description="the submission's time over the reference's, at the largest size",
    )
    max_time_ratio: float = Field(..., description="the largest allowed ratio")
    growth: float | None = Field(..., description="the exponent e if the time grows like n^e; null with one size")
    reference_growth: float | None = Field(..., description="the reference's exponent")
    max_growth: float | None = Field(..., description="the largest allowed exponent; null if there is none")


class TimedSolution(Answer):
    """
    A known submission whose times were compared with the reference's.
    """

    name: str
    times: TimeComparison


class TokenRequest(Answer):
    """
    Your user name and password, a name that reminds you of the token's use, and its scopes.
    """

    username: str
    password: str
    name: str = "token"
    scopes: (
        list[
            Literal[
                "account:read",
                "account:write",
                "problems:read",
                "submissions:read",
                "submissions:write",
                "discussions:write",
                "problems:write",
                "discussions:moderate",
                "submissions:inspect",
                "rejudgings:write",
                "users:read",
                "users:write",
                "operations:read",
                "operations:write",
                "settings:write",
                "audit:read",
            ]
        ]
        | None
    ) = Field(
        None,
        description="the permissions of the token, among yours; null: always all of yours",
    )
    expires_in_days: int | None = Field(None, description="the days until it expires; null: never")


class TokenView(Answer):
    """
    A valid token. Allclose does not keep its secret.
    """

    id: UUID
    name: str
    scopes: list[str] | None = Field(..., description="the permissions of the token; null: all of yours")
    created_at: datetime
    expires_at: datetime | None = Field(..., description="null: never")
    last_used_at: datetime | None = Field(..., description="to the minute; null if never used")


class Tolerance(Answer):
    """
    `leaves` overrides the tolerance of the leaves whose path matches a pattern (`history`, `params/*`).
    """

    rtol: float
    atol: float
    leaves: dict[str, Margin] | None = None


class TrackDetail(Answer):
    slug: str
    title: str
    description: str = Field(..., description="Markdown; empty if the track has no description")
    problem_count: int
    estimated_minutes: int
    done_count: int | None = Field(..., description="how many you have solved; null without a token")
    next: ProblemRef | None
    steps: list[Step]


class TrackProgress(Answer):
    """
    `slug` and `title` are None for problems without a track.
    """

    slug: str | None
    title: str | None
    solved: int
    total: int


class TrackSummary(Answer):
    """
    A track. `next` is the first unsolved problem whose prerequisites are solved; null if there is none.
    """

    slug: str
    title: str
    description: str = Field(..., description="Markdown; empty if the track has no description")
    problem_count: int
    estimated_minutes: int
    done_count: int | None = Field(..., description="how many you have solved; null without a token")
    next: ProblemRef | None


class TrivialAnswer(Answer):
    """
    A trivial answer. `rightly` says why it may pass, if the package's rules make it right.
    """

    name: str
    meaning: str
    tried_on: list[str]
    accepted_on: list[str]
    rightly: str | None = None


class TrivialSection(Answer):
    answers: list[TrivialAnswer]


class Ulp(Answer):
    """
    At most `units` steps to the next number of the dtype.
    """

    checker: Literal["ulp"]
    units: int


class UnreadAnswers(Answer):
    """
    A question of the user with answers by others that the user has not seen.
    """

    question_id: UUID
    problem: str
    title: str
    count: int


class UnreadAnswersList(Answer):
    """
    Your questions with answers by other users that you have not seen, the last asked first.
    """

    items: list[UnreadAnswers]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class UpToPermutation(Answer):
    """
    Within the tolerance in some order along `axis`, with labels renamed to match.
    """

    checker: Literal["up_to_permutation"]
    group: str | None = None
    axis: int | None = None
    labels: bool = False


class UpToSign(Answer):
    """
    Within the tolerance, each part at an index of `axes` unchanged or negated.
    """

    checker: Literal["up_to_sign"]
    group: str | None = None
    axes: list[int] = []


class UserChange(Answer):
    """
    A field that you leave out stays as it is.
    """

    role: Literal["student", "author", "admin"] | None = Field(None, description="null: unchanged")
    is_active: bool | None = Field(
        None,
        description="false: suspend the user and end their sessions; true: reactivate; null: unchanged",
    )
    email: str | None = Field(None, description="null: remove it")


class UserView(Answer):
    """
    Your own account.
    """

    id: UUID
    username: str
    email: str | None
    role: Literal["student", "author", "admin"]
    is_ranked: bool = Field(..., description="whether leaderboards show you")
    created_at: datetime


class Uses(Answer):
    """
    A required structure.

    `length`: the number of steps, or the batch size. `through`: parameters that reach the answer only through it.
    `slices`: parameters of which each step reads only its own slice. `scan` and `fori` are the same loop in a program,
    so they are judged alike.
    """

    uses: Literal["scan", "fori", "while", "cond", "vmap"]
    length: int | str | None = None
    through: list[str] = []
    slices: list[str] = []


class VerdictCount(Answer):
    verdict: Literal[
        "accepted",
        "wrong_answer",
        "requirement_not_met",
        "runtime_error",
        "time_limit_exceeded",
        "memory_limit_exceeded",
        "output_limit_exceeded",
        "invalid_submission",
        "judge_error",
        "cancelled",
    ]
    count: int


class VerdictOfDay(Answer):
    """
    The number of submissions with a verdict; None for those without one yet.
    """

    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    count: int


class Wait(Answer):
    """
    How long an unfinished submission has waited, and an estimate.

    `seconds` is None if there is no recent judging to compare with, or if this one takes unusually long.
    """

    ahead: int = Field(
        ...,
        description="the number of submissions that are judged before it; 0 once its judging runs",
    )
    seconds: float | None = Field(..., description="an estimate of the time until its verdict; null without one")
    elapsed: float = Field(..., description="seconds since it was sent")


class WaitingView(Answer):
    judging: int
    submission: UUID
    problem: str
    user: str
    user_id: UUID
    queue: str
    kind: Literal["interactive", "rejudge"]
    priority: int = Field(
        ...,
        description="the highest is next; every rejudge has -1000000 and comes last",
    )
    attempt: int = Field(..., description="attempts so far")
    queued_at: datetime
    seconds: float = Field(..., description="the time since it was queued")


class WantedHint(Answer):
    """
    The number of the hint to reveal: one more than you have revealed.
    """

    number: int


class Way(Answer):
    """
    Another way to compute the reference: on how many cases it ran, and why it left some out.
    """

    name: str
    meaning: str
    cases: int
    left_out: str = ""


class WorkerView(Answer):
    """
    A worker process. `no_boxes`: alive, but it can't open boxes now, and tries again. `draining`: alive, and takes
    no more judgings. `away`: it was drained and has ended; the next worker on its host for its queues takes no judgings
    either. `dead`: its heartbeats stopped without a word.
    """

    id: UUID
    name: str
    host: str
    state: Literal["alive", "no_boxes", "draining", "away", "dead"]
    queues: list[str]
    slots: int = Field(..., description="the number of judgings that it runs at once")
    running: int = Field(
        ...,
        description="running judgings: for a moment more than `slots`, when a rejudge gives way to a student's judging",
    )
    device: str
    gpus: list[str]
    box_failure: str = Field(..., description="why it can't open boxes now; empty if it can")
    boxes: dict[str, Any] = Field(..., description="its boxes, counted by state")
    versions: dict[str, Any] = Field(
        ...,
        description="of Allclose, Python and each framework that a box has opened; `sandbox` is the kind of sandbox",
    )
    started_at: datetime
    seen_at: datetime


class ProblemDetails(Answer):
    """
    An error in the format of RFC 9457. `detail` says what is wrong and what to do next.
    """

    type: str = Field(
        "about:blank",
        description="always about:blank: the status and `code` say what kind of error it is",
    )
    title: str = Field(..., description="the status in words")
    status: int
    code: Literal[
        "body_unreadable",
        "not_signed_in",
        "sign_in_failed",
        "right_missing",
        "solution_locked",
        "refused",
        "path_unknown",
        "problem_not_found",
        "not_found",
        "method_not_allowed",
        "conflict",
        "removal_unconfirmed",
        "outdated",
        "body_too_large",
        "body_too_slow",
        "media_type_not_taken",
        "cursor_invalid",
        "inputs_invalid",
        "package_invalid",
        "invalid",
        "too_often",
        "limit_reached",
        "failed",
        "not_ready",
        "database_away",
        "disk_full",
        "request_refused",
    ]
    detail: str = Field(..., description="what is wrong and what to do, for people")
    instance: str = Field(..., description="the path of the request")
    errors: list[FieldFault] | None = Field(None, description="for status 422: the wrong fields")
    request_id: str | None = Field(
        None,
        description="identifies the request in the server's log; give it to an admin",
    )


class BatchEntry(Answer):
    """
    Exactly one of the two is not null.
    """

    submission: Receipt | None
    error: Refusal | None


class BatchReceipt(Answer):
    """
    An entry for each submission, in the order of the request.
    """

    items: list[BatchEntry]


class CalibratedLeaf(Answer):
    """
    The noise of right answers and the signal of wrong ones, at the leaves that match `path` and share a tolerance.

    The tolerance, with `value` 1, should lie between the two. `signal` has the wrong answers whose largest error is
    here.
    """

    path: str
    checker: str
    tolerance: Margin | None
    noise: list[Measured]
    signal: list[Measured]
    suggestion: Margin | None
    state: Literal[
        "inside",
        "narrow",
        "too_tight",
        "too_loose",
        "no_gap",
        "no_noise",
        "no_signal",
        "exact",
        "not_calibrated",
    ]


class CalibrationSection(Answer):
    """
    `without_number` counts the wrong answers that no tolerance accepts, such as those of another shape.
    """

    leaves: list[CalibratedLeaf]
    ways: list[Way] = Field([], validate_default=True)
    without_number: int = 0


class CauseList(Answer):
    items: list[CauseView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class Change(Answer):
    """
    One submission. `failed`: the new judging is a judge error, and the old verdict stays.
    """

    submission: UUID
    problem: str = Field(..., description="the slug")
    user: str = Field(..., description="the user name")
    kind: Literal["same", "better", "worse", "different", "failed", "cancelled", "waiting"]
    old: Outcome
    new: Outcome
    cases: list[CaseChange] = Field(..., description="the cases whose verdict differs, in the problem's order")
    reason: str | None = Field(..., description="why it failed; null otherwise")


class ChangePage(Answer):
    """
    In the order in which the submissions were sent.
    """

    items: list[Change]
    next: str | None = Field(..., description="the `cursor` of the next page; null on the last page")


class DefinitionView(Answer):
    """
    A further function, or a method.
    """

    signature: str = Field(..., description="as students write it, such as `Norm.forward(x)`")
    parameters: list[Parameter]
    returns: Returns | None
    doc: str | None


class Discussion(Answer):
    """
    A question with a page of its answers, oldest first. `next` is the cursor of the next page.
    """

    problem: str
    problem_title: str
    question: PostView
    is_locked: bool
    answers: list[PostView]
    next: str | None


class Fraction(Answer):
    """
    At least the share `least` of the elements within the tolerance, the rest within `rest`.
    """

    checker: Literal["fraction"]
    least: float
    rest: Margin | None = None


class JudgeErrorPage(Answer):
    items: list[JudgeErrorView]
    next: str | None


class JudgingList(Answer):
    """
    Oldest first; the last one counts.
    """

    items: list[JudgingView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class KillMatrixSection(Answer):
    cases: list[KillCase]
    rows: list[KillRow]


class LimitsSection(Answer):
    """
    `cases` and `shapes` are empty if a quick verification did not measure them. `timed`: for `efficiency`.
    """

    wall_seconds: float
    slowest: str
    slowest_case: str
    slowest_seconds: float
    suggested_wall_seconds: float
    memory_mib: int
    largest_memory_mib: int
    suggested_memory_mib: int
    cases: list[CaseCost]
    shapes: list[ShapeCost] = Field([], validate_default=True)
    timed: list[TimedSolution] = Field([], validate_default=True)


class MaxTemporaryMemory(Answer):
    max_temporary_memory: Memory


class NextSteps(Answer):
    last: LastProblem | None
    tracks: list[TrackSummary] = Field(..., description="the tracks that you have started and not finished")


class Overview(Answer):
    """
    Submissions, verdicts, judge errors and sign-ups are of the last 24 hours. The other fields are as of now.

    `workers_drained` has the names of workers that an admin has drained, and `workers_dead` those whose heartbeats
    stopped without a word. `workers_without_boxes` has those that are alive and can't open boxes now.
    """

    queues: list[QueueView]
    workers: int
    slots: int
    workers_draining: int
    workers_drained: list[str]
    workers_dead: list[str]
    workers_without_boxes: list[str]
    submissions: int
    verdicts: list[VerdictOfDay]
    judge_errors: int
    sign_ups: int
    open_rejudgings: int
    pending_invitations: int
    open_verifications: int
    database_bytes: int
    disk_free_bytes: int
    disk_total_bytes: int
    last_backup_at: datetime | None


class OwnStatistics(Answer):
    """
    `solved_after_seeing_the_solution` counts problems that are also in the solved ones.
    """

    today: date
    submissions: int
    attempted: int
    solved: int
    tracks: list[TrackProgress]
    days: list[ActiveDay]
    verdicts: list[VerdictCount]
    current_streak: int
    longest_streak: int
    solved_after_seeing_the_solution: int


class ProblemDetail(Answer):
    """
    Everything that a student sees of a problem before solving it.
    """

    slug: str
    title: str
    summary: str
    difficulty: Literal["beginner", "intermediate", "advanced"]
    estimated_minutes: int
    tags: list[str]
    track: str | None
    position: int | None
    frameworks: list[Literal["numpy", "jax", "flax", "optax", "torch"]]
    attempts: Attempts | None = Field(None, description="null until 5 students have submitted it with all cases")
    revision: int | None = Field(
        ...,
        description="the number of the revision that new submissions belong to; null for a folder, which has none",
    )
    digest: str = Field(..., description="names the content of that revision")
    availability: Literal["draft", "unlisted", "listed", "withdrawn"] = Field(
        "listed",
        description="`listed`; `unlisted`: in no list; `draft`: for authors only; `withdrawn`: takes no submissions",
    )
    prerequisites: list[str]
    exercise: Exercise | None = None
    versions: list[ExerciseVersion] = Field(
        [],
        description="all problems of the same exercise, this one among them; none where it is the only one",
        validate_default=True,
    )
    license: str | None
    entry_point: str
    signature: str = Field(..., description="the function as students write it, such as `scale(x, factor)`")
    parameters: list[Parameter] = Field(..., description="what the function takes, in the order of the call")
    definitions: list[DefinitionView] = Field(
        [],
        description="the other functions, or the methods of the class, that students write",
        validate_default=True,
    )
    answer_rule: str = Field(
        "",
        description="what the judge compares, if it is not simply what the function returns",
    )
    inputs: list[Input] = Field(
        [],
        description="what cases give, where the problem makes the function's arguments from it; else empty, and cases give the parameters",
        validate_default=True,
    )
    returns: Returns
    tolerance: Tolerance | None
    dtype_policy: Literal["exact", "kind", "any"]
    accept_lists: bool = Field(False, description="whether nested lists of numbers may stand for arrays")
    checkers: dict[
        str,
        Closeness | Distribution | Exact | Fraction | Gradient | Property | Set | Ulp | UpToPermutation | UpToSign,
    ] = Field(
        {},
        description="how leaves are judged, by patterns of their paths",
        validate_default=True,
    )
    limits: Limits
    requirements: list[
        Calls | Forbids | ForbidsCalls | ForbidsSyntax | MaxEquations | MaxFlopsRatio | MaxTemporaryMemory | Uses
    ] = Field([], description="rules on how answers are computed", validate_default=True)
    efficiency: Efficiency | None = Field(
        None,
        description="limits on a solution's time, relative to the reference's; null if there are none",
    )
    sources: list[str] = Field([], description="where the facts come from, such as a paper")
    parts: list[ProblemPart] = Field(
        [],
        description="groups of cases with their points, which sum to 100",
        validate_default=True,
    )
    statement: str = Field(..., description="Markdown, with formulas in $…$")
    figures: dict[str, str] = Field(
        {},
        description="the SVG of each figure of the statement, by its path such as `figures/window.svg`",
    )
    starter: str
    samples: list[SampleCase]
    example_inputs: str = Field(
        "",
        description="YAML to begin inputs of your own with, of a sample where possible",
    )
    hidden_cases: int = Field(..., description="how many further cases a submission is judged on")
    hint_count: int
    question_count: int = Field(..., description="how many questions its quiz asks")


class ProblemStatistics(Answer):
    """
    Of the last submissions of all cases by students. Without students or solvers, rates and medians are null.
    """

    submissions: int = Field(..., description="the number of submissions that count: the last 1,000 at most")
    students: int
    solved: int = Field(..., description="students with an accepted submission")
    solve_rate: float | None = Field(..., description="`solved` divided by `students`")
    median_attempts: float | None = Field(..., description="submissions of a solver up to the first accepted one")
    median_minutes: float | None = Field(..., description="from a solver's first submission to the first accepted one")
    attempts: list[Bar] = Field(..., description="solvers by their submissions up to the first accepted one")
    minutes: list[Bar] = Field(..., description="solvers by the minutes between these submissions")
    verdicts: list[VerdictCount]
    mistakes: list[MistakeCount] = Field(..., description="the most frequent ones, 10 at most")
    cases: list[CaseCount] = Field(..., description="those that fail most often, 10 at most")
    hints: list[HintCount]
    shares: list[Bar] = Field(
        ...,
        description="submissions by the largest share of the tolerance that an answer used; 1 is at the limit",
    )
    near: int = Field(..., description="submissions whose largest share is from 0.5 to 2")


class QuestionPage(Answer):
    """
    `next` is the cursor of the next page, None on the last one.
    """

    items: list[QuestionSummary]
    next: str | None


class QueueState(Answer):
    queues: list[QueueView]
    longest: list[WaitingView] = Field(..., description="the 20 that have waited longest")
    running: list[RunningView] = Field(..., description="the 20 that have run longest")


class RejudgingPage(Answer):
    """
    Newest first.
    """

    items: list[RejudgingSummary]
    next: str | None = Field(..., description="the `cursor` of the next page; null on the last page")


class Report(Answer):
    """
    `checks` has a line for each check, in order. The section of a check that did not run is None.
    """

    problem: str
    digest: str
    title: str
    verified_at: datetime
    seconds: float
    is_quick: bool
    passed: bool
    checks: list[CheckLine]
    findings: list[Finding]
    versions: dict[str, str] = Field({}, description="of the libraries in the boxes")
    verification_version: int = Field(0, description="of the checks; 0 in reports from before it was counted")
    lint: LintSection | None = None
    reference: ReferenceSection | None = None
    known: KnownSection | None = None
    trivial: TrivialSection | None = None
    mutation: MutationSection | None = None
    kill_matrix: KillMatrixSection | None = None
    calibration: CalibrationSection | None = None
    limits: LimitsSection | None = None
    mistakes: MistakesSection | None = None


class ReportPage(Answer):
    """
    `next` is the cursor of the next page, None on the last one.
    """

    items: list[ReportView]
    next: str | None


class Retention(Answer):
    due: list[Due]
    last_run: RunView | None


class RevisionPage(Answer):
    """
    Newest first.
    """

    items: list[RevisionView]
    next: str | None = Field(..., description="the `cursor` of the next page; null on the last page")


class Row(Answer):
    """
    Two lines side by side.

    One side is None if a line was added or removed. Both are None if unchanged lines were skipped.
    """

    kind: Literal["changed", "same", "skipped"]
    old: Side | None = None
    new: Side | None = None


class SessionList(Answer):
    """
    Valid sessions, the last seen first. You have at most 50.
    """

    items: list[SessionView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class SharedPage(Answer):
    """
    `next` is the cursor of the next page, None on the last one.
    """

    items: list[SharedSummary]
    next: str | None


class SharedSource(Answer):
    """
    A shared solution with its code.
    """

    problem: str
    title: str
    summary: SharedSummary
    source: str


class SourceDifference(Answer):
    """
    The changed lines, each with 3 lines of context. `is_whole` is False if too much changed to compare all of it.
    """

    rows: list[Row]
    added: int
    removed: int
    is_whole: bool


class Storage(Answer):
    database_bytes: int
    tables: list[TableSize] = Field(..., description="the largest first")
    folders: list[FolderSize] = Field(..., description="folders in the server's data folder")
    disk_free_bytes: int
    disk_total_bytes: int


class SubmissionBatch(Answer):
    """
    The submissions in the order of `ids`, as in the list of submissions.
    """

    items: list[SubmissionSummary]


class SubmissionPage(Answer):
    """
    `next` is the cursor of the next page, None on the last one.
    """

    items: list[SubmissionSummary]
    next: str | None


class SubmissionView(Answer):
    """
    A submission with its results.

    `problem` is a slug. `cases` is in the problem's order; while `state` is judging, some cases are still missing.
    """

    id: UUID
    problem: str
    title: str = Field(..., description="the problem's title")
    revision: int | None = Field(
        ...,
        description="the number of the revision that it was judged on; null for a folder on disk",
    )
    digest: str = Field(..., description="the digest of that revision's files")
    mode: Literal["submit", "sample"]
    parameters: list[str] = Field(..., description="the names of a case's inputs, in their order")
    case_names: list[str] = Field(..., description="the names of all cases that it is judged on, in their order")
    created_at: datetime
    inputs: str | None = Field(
        None,
        description="custom inputs as YAML, which replace the sample cases; else null",
    )
    state: Literal["queued", "judging", "done"]
    verdict: (
        Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None
    )
    score: int | None
    parts: list[PartView] = Field(
        [],
        description="points by part; empty if the problem has no parts",
        validate_default=True,
    )
    cases: list[CaseView]
    times: TimeComparison | None = Field(
        None,
        description="its times beside the reference's, if the problem limits them and all answers are right",
    )
    notice: str | None = Field(None, description="a sentence that says why no worker judges it now; else null")
    hint: str | None = Field(
        None,
        description="an explanation, if the answers match a known mistake; else null",
    )
    hint_pending: bool = Field(False, description="done, and a `hint`, or a better one, may follow soon")
    wait: Wait | None = Field(None, description="how long it may still take; null when it is done")
    phases: list[Phase] = Field(
        [],
        description="the phases so far; the last one may still go on",
        validate_default=True,
    )
    is_again: bool = Field(
        False,
        description="an earlier attempt failed by the judge's fault, and a new one runs",
    )


class TokenList(Answer):
    """
    Valid tokens, newest first. You have at most 100.
    """

    items: list[TokenView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class TrackList(Answer):
    """
    Tracks, in their order.
    """

    items: list[TrackSummary]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class VerificationView(Answer):
    """
    A verification. `refused`: a check failed, see the report. `failed`: the package could not be checked.
    """

    id: UUID
    problem: str = Field(..., description="the slug")
    digest: str = Field(
        ...,
        description="names the package's content, and that of the revision that it becomes",
    )
    by: str = Field(..., description="the user name of who sent it")
    state: Literal["queued", "verifying", "passed", "refused", "failed"]
    is_cancelling: bool = Field(False, description="it was cancelled, and its worker has not stopped yet")
    step: str = Field(..., description="what is being checked; empty before")
    done: int = Field(..., description="how much of the step is done, of `total`")
    total: int
    publish: bool = Field(..., description="whether it is published when it passes")
    availability: Literal["draft", "unlisted", "listed", "withdrawn"] | None = Field(
        ...,
        description="what the problem gets when the package is published, with `publish` false only if it is new; null leaves it as it is",
    )
    revision: int | None = Field(
        ...,
        description="the number of the revision that it became; null until it is published",
    )
    queued_at: datetime
    finished_at: datetime | None
    notice: str | None = Field(..., description="a sentence for people: why it waits, or what came in the way")
    report: Report | None = Field(..., description="what was found; null until it is done, and in lists")


class WorkerList(Answer):
    items: list[WorkerView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


class DifferenceView(Answer):
    """
    `old` is null when a problem's first submission is compared with the starter.
    """

    old: UUID | None
    new: UUID
    difference: SourceDifference


class VerificationPage(Answer):
    """
    Newest first, without reports.
    """

    items: list[VerificationView]
    next: str | None = Field(..., description="the `cursor` of the next page; null on the last page")
