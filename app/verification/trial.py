"""The input and output of the checks of a verification: pools of boxes, cases, and judged submissions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Generic, TypeAlias, TypeVar

from app.catalog.package import KnownSubmission, Package
from app.catalog.verification_report import Finding
from app.catalog.verification_section import KnownSection, ReferenceSection, Section
from app.judging.comparison import Comparison, compare
from app.judging.verdicts import CaseResult, Verdict
from app.settings import Settings
from app.worker.boxes import box_spec, open_inspector_pool, open_launcher, open_pool, open_reference_pool
from app.worker.custom_checker import CustomChecker
from app.worker.judge import Job, judge
from app.worker.prepare import PreparedCase
from app.worker.request import PATIENCE, build_request, patient, rules_of
from sandbox.gpu.lease import Gpus
from sandbox.guest.codec import Tree, decode, encode
from sandbox.interface import CaseInput, CaseOutcome, Launcher
from sandbox.library_cache import fill_cache
from sandbox.pool import Pool

# So many boxes run at once; each has two cores.
AT_ONCE = 2
# A quick verification stops at a wrong solution that fails one of so many cases.
FIRST_CASES = 3
Watch: TypeAlias = Callable[[str, int, int], None]
S = TypeVar("S", bound=Section, covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationPools:
    """Pools for submissions, for the package's own code, and for inspected programs; judgings use other ones."""

    launcher: Launcher
    students: Pool
    references: Pool
    inspectors: Pool

    def compile(self, package: Package, cases: Sequence[CaseInput], abort: Event) -> None:
        """Fill the compilation cache from the reference, as publishing does. Raises SandboxError."""
        request = patient(build_request(package, package.reference, cases))
        fill_cache(self.launcher, box_spec(package.manifest), request, abort)


@contextmanager
def open_pools(settings: Settings, launcher: Launcher) -> Iterator[VerificationPools]:
    """Open pools whose boxes start in the thread that leases them."""
    with (
        open_pool(settings, launcher) as students,
        open_reference_pool(settings, launcher) as references,
        open_inspector_pool(settings, launcher) as inspectors,
    ):
        yield VerificationPools(launcher=launcher, students=students, references=references, inspectors=inspectors)


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
class Checked(Generic[S]):
    """The result of a check. `summary` is half a line: what was checked, and how it came out."""

    section: S | None
    summary: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One source, judged. `outcomes` maps the cases that ran to outcomes with answers."""

    verdict: Verdict
    results: tuple[CaseResult, ...]
    outcomes: Mapping[str, CaseOutcome]

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
class Judged:
    """A known submission, judged on all cases."""

    submission: KnownSubmission
    attempt: Attempt

    @property
    def name(self) -> str:
        return f"{self.submission.verdict}/{self.submission.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The input of the later checks: the cases of one variant, and the judged submissions."""

    cases: tuple[PreparedCase, ...]
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class CheckedReference(Checked[ReferenceSection]):
    """The result of the first check, with the cases for all others and the versions of the boxes' libraries."""

    cases: tuple[PreparedCase, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckedKnown(Checked[KnownSection]):
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    package: Package
    pools: VerificationPools
    watch: Watch
    abort: Event
    effort: Effort

    def attempt(self, source: str, cases: Sequence[PreparedCase]) -> Attempt:
        """Judge a source like a submission. Raises JudgeFailed, BoxLost, Aborted."""
        outcomes: dict[str, CaseOutcome] = {}
        job = Job(
            package=self.package,
            source=source,
            cases=cases,
            references=self.pools.references,
            inspectors=self.pools.inspectors,
            on_outcome=lambda outcome: outcomes.update({outcome.name: outcome}),
        )
        finish = judge(job, self.pools.students, lambda _: None, self.abort)
        return Attempt(verdict=finish.verdict, results=tuple(finish.cases), outcomes=outcomes)

    @property
    def with_patience(self) -> "Trial":
        """Return the same trial with more time per case; another check looks at the limits."""
        manifest = self.package.manifest
        wall_seconds = PATIENCE * manifest.limits.wall_seconds
        limits = manifest.limits.model_copy(update={"wall_seconds": wall_seconds})
        return replace(self, package=replace(self.package, manifest=manifest.model_copy(update={"limits": limits})))

    def compare(self, case: PreparedCase, answer: Tree) -> Comparison:
        """Compare by the problem's rules. Raises JudgeFailed, BoxLost, Aborted."""
        return self.compare_encoded(case, encode(answer))

    def compare_encoded(self, case: PreparedCase, answer: bytes) -> Comparison:
        ask = CustomChecker(self.package, self.pools.references, self.abort).about(
            case.name, case.inputs, case.expected, answer
        )
        return compare(decode(answer), decode(case.expected), rules_of(self.package.manifest), ask)

    def each(self, step: str, items: Iterable[Item], work: Callable[[Item], Result]) -> list[Result]:
        """Return the results in order. `AT_ONCE` items run in parallel. Raises what `work` raises."""
        waiting = list(items)
        self.watch(step, 0, len(waiting))
        results: list[Result] = []
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="verify") as threads:
            futures = [threads.submit(work, item) for item in waiting]
            try:
                for future in futures:
                    results.append(future.result())
                    self.watch(step, len(results), len(waiting))
            except BaseException as error:
                for future in futures:
                    future.cancel()
                if isinstance(error, KeyboardInterrupt):
                    self.abort.set()  # end the running items too
                raise
        return results
