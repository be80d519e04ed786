"""The input and output of the checks of a verification: pools of boxes, cases, and judged submissions."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Generic, TypeAlias, TypeVar

from app.catalog.case import Case
from app.catalog.package import KnownSubmission, Package
from app.catalog.verification_report import Finding
from app.catalog.verification_section import KnownSection, ReferenceSection, Section
from app.engine.batch import Batch
from app.engine.boxes import INSPECTOR, box_spec, open_launcher, open_pool
from app.engine.custom_checker import CustomChecker
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.overload import LONGEST_WAIT_SECONDS, wait_until_quieter
from app.engine.prepare import PreparedCase, require_answered
from app.engine.request import PATIENCE, build_request, patient_at_first, rules_of
from app.judging.comparison import Comparison, compare
from app.judging.efficiency import TimeComparison
from app.judging.requirement import plural
from app.judging.verdicts import CaseResult, Verdict
from app.settings import Settings
from sandbox.gpu.gpu_lease import Gpus
from sandbox.guest.codec import decode
from sandbox.interface import CaseInput, CaseOutcome, Ending, Launcher
from sandbox.library_cache import CachingLauncher, fill_cache
from sandbox.pool import Pool

# How many boxes run at once; each has two cores. A run may need a second box, for its checker or its inspector.
AT_ONCE = 2
BOXES = 3 * AT_ONCE
# Starting a second box takes seconds of a core, so it starts only for a step that takes longer than this.
SECOND_BOX_SECONDS = 2.0
# How many cases represent a family of cases that are drawn alike, such as `random_1` to `random_100`.
MOST_OF_ONE = 3
# How many cases a finding names.
MAX_NAMED = 3
# A quick verification stops at a wrong solution that fails one of so many cases.
FIRST_CASES = 3
Watch: TypeAlias = Callable[[str, int, int], None]
S = TypeVar("S", bound=Section, covariant=True)
Item = TypeVar("Item")
Named = TypeVar("Named", CaseInput, PreparedCase, Case)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationPools:
    """Pools of boxes that judgings do not use.

    One pool runs all of a package's code, known submissions too: they have one author, and each run begins in an empty
    box. The other one runs inspected programs.
    """

    launcher: Launcher
    boxes: Pool
    inspectors: Pool

    def warm(self, package: Package) -> None:
        """Start boxes for this package in the background."""
        self.boxes.warm(box_spec(package.manifest))
        if package.manifest.is_traced:
            self.inspectors.warm(INSPECTOR)

    def compile(self, package: Package, cases: Sequence[CaseInput], abort: Event) -> None:
        """Fill the compilation cache from the reference, as publishing does.

        Raises ReferenceFailed if the reference reaches its time limit, and SandboxError.
        """
        launcher, spec = self.launcher, box_spec(package.manifest)
        if "jax" not in spec.frameworks or not isinstance(launcher, CachingLauncher) or launcher.cache is None:
            return
        request = patient_at_first(build_request(package, package.reference, cases))
        outcomes: list[CaseOutcome] = []
        with self.boxes.lease(spec, abort) as box:
            fill_cache(launcher.cache, box, request, abort, outcomes.append)
        for outcome in outcomes:
            if outcome.ending is Ending.TIMED_OUT:
                require_answered(package, "reference", outcome)


@contextmanager
def open_pools(settings: Settings, launcher: Launcher) -> Iterator[VerificationPools]:
    with (
        open_pool(settings, launcher, BOXES) as boxes,
        open_pool(settings, launcher, settings.worker_slots) as inspectors,
    ):
        yield VerificationPools(launcher=launcher, boxes=boxes, inspectors=inspectors)


@contextmanager
def private_launcher(settings: Settings, gpus: Gpus | None = None) -> Iterator[Launcher]:
    """Open a launcher with its own compilation cache, so that unpublished packages share nothing with others."""
    with TemporaryDirectory(prefix="allclose-verify-") as folder:
        Path(folder).chmod(0o755)  # started by root, a box is another user
        yield open_launcher(settings, cache=None if gpus else Path(folder), gpus=gpus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """`mutants` is the most that run; None leaves the number to the check."""

    is_quick: bool = False
    mutants: int | None = None


@dataclass(frozen=True, slots=True)
class CheckResult(Generic[S]):
    """The result of a check. `summary` is half a line: what was checked, and how it came out."""

    section: S | None
    summary: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceJudging:
    """One source, judged. `outcomes` maps the cases that ran to outcomes with answers.

    `times`: beside the reference's, if the problem compares them and all answers are right.
    """

    verdict: Verdict
    results: tuple[CaseResult, ...]
    outcomes: Mapping[str, CaseOutcome]
    times: TimeComparison | None = None

    @property
    def answers(self) -> dict[str, bytes]:
        """Map the cases with an answer to their encoded answers."""
        return {name: outcome.answer for name, outcome in self.outcomes.items() if outcome.answer is not None}

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(result.name for result in self.results if result.verdict is not Verdict.ACCEPTED)

    @property
    def wall_seconds(self) -> float:
        return sum(outcome.wall_seconds for outcome in self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownJudging:
    """A known submission, judged on all cases."""

    submission: KnownSubmission
    attempt: SourceJudging

    @property
    def name(self) -> str:
        return f"{self.submission.verdict}/{self.submission.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The input of the later checks: the cases of one variant, and the judged submissions."""

    cases: tuple[PreparedCase, ...]
    judged: tuple[KnownJudging, ...]


@dataclass(frozen=True, slots=True)
class CheckedReference(CheckResult[ReferenceSection]):
    """The result of the first check, with the cases for all others and the versions of the boxes' libraries."""

    cases: tuple[PreparedCase, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckedKnown(CheckResult[KnownSection]):
    """`is_disputed`: no accepted solution agrees with the reference, so its answers prove nothing."""

    judged: tuple[KnownJudging, ...] = ()
    is_disputed: bool = False


def listed_cases(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {plural(len(names) - MAX_NAMED, 'more case')}" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def some_of_each(cases: Sequence[Named]) -> list[Named]:
    """Keep the first few of repeated cases (`random_1`, `random_2`, …), whose inputs are drawn alike."""
    kept: list[Named] = []
    counts: dict[str, int] = {}
    for case in cases:
        stem, _, number = case.name.rpartition("_")
        family = stem if number.isdecimal() else case.name
        counts[family] = counts.get(family, 0) + 1
        if counts[family] <= MOST_OF_ONE:
            kept.append(case)
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    package: Package
    pools: VerificationPools
    watch: Watch
    abort: Event
    effort: Effort

    @property
    def batch(self) -> Batch:
        return Batch(self.package, self.pools.boxes, self.abort)

    def attempt(self, source: str, cases: Sequence[PreparedCase]) -> SourceJudging:
        """Judge a source like a submission. Raises JudgeFailed, BoxLost, Aborted."""
        outcomes: dict[str, CaseOutcome] = {}
        job = Job(
            package=self.package,
            source=source,
            cases=cases,
            references=self.pools.boxes,
            inspectors=self.pools.inspectors,
            on_outcome=lambda outcome: outcomes.update({outcome.name: outcome}),
        )
        finish = judge(job, self.pools.boxes, lambda _: None, self.abort)
        return SourceJudging(verdict=finish.verdict, results=tuple(finish.cases), outcomes=outcomes, times=finish.times)

    def wait_until_quieter(self) -> None:
        """Wait before a run whose time decides, at most a minute. Raises Aborted."""
        self.watch("waiting for a quieter machine", 0, 1)
        wait_until_quieter(LONGEST_WAIT_SECONDS, self.abort)

    @property
    def with_patience(self) -> "Trial":
        """Return the same trial with more time per case and in all; another check looks at the limits."""
        limits = self.package.manifest.limits
        wall_seconds = PATIENCE * limits.wall_seconds
        return self._changed(limits=limits.model_copy(update={"wall_seconds": wall_seconds}), efficiency=None)

    @property
    def with_few_cases(self) -> "Trial":
        """Return the same trial without most cases of each family."""
        return self._changed(cases=tuple(some_of_each(self.package.manifest.cases)))

    def _changed(self, **values: object) -> "Trial":
        manifest = self.package.manifest.model_copy(update=values)
        return replace(self, package=replace(self.package, manifest=manifest))

    def compare_all(self, answers: Sequence[tuple[PreparedCase, bytes]]) -> Iterator[Comparison]:
        """Compare encoded answers by the problem's rules. Raises JudgeFailed, BoxLost, Aborted."""
        checker = CustomChecker(self.package, self.pools.boxes, self.abort)
        asks = checker.about_all([(case.name, case.inputs, case.expected, answer) for case, answer in answers])
        rules = rules_of(self.package.manifest)
        for (case, answer), ask in zip(answers, asks, strict=True):
            yield compare(decode(answer), decode(case.expected), rules, ask)

    def each(self, step: str, items: Iterable[Item], work: Callable[[Item], Result]) -> list[Result]:
        """Return the results in order. Raises what `work` raises.

        A second thread helps at once if a second box is idle, and else with a step that takes longer.
        """
        waiting = deque(enumerate(items))
        total, lock, over = len(waiting), threading.Lock(), threading.Event()
        results: dict[int, Result] = {}
        errors: list[BaseException] = []
        self.watch(step, 0, total)

        def run() -> None:
            while not errors:
                with lock:
                    if not waiting:
                        return
                    number, item = waiting.popleft()
                try:
                    result = work(item)
                except BaseException as error:
                    errors.append(error)
                    if isinstance(error, KeyboardInterrupt):
                        self.abort.set()  # end the other thread's item too
                    return
                with lock:
                    results[number] = result
                    self.watch(step, len(results), total)

        has_two = self.pools.boxes.count().ready >= AT_ONCE

        def help_later() -> None:
            if not over.wait(0.0 if has_two else SECOND_BOX_SECONDS):
                run()

        helper = threading.Thread(target=help_later, name="verify")
        helper.start()
        try:
            run()
        finally:
            over.set()
            helper.join()
        if errors:
            raise errors[0]
        return [results[number] for number in range(total)]
