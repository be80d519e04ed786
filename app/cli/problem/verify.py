"""`allclose problem verify`: check that packages judge correctly before you publish them."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.catalog.fault import PackageInvalid
from app.catalog.package import Package, find_readable_part
from app.catalog.sample_record import find_sample_record, write_sample_record
from app.catalog.verification_report import Report, report_of, with_faults
from app.catalog.verified import VerifiedPackages
from app.cli.console import errors
from app.cli.gpu import as_judged_here, use_gpus
from app.cli.problem.package_source import NAMED, PackageSource, find_source, list_folders, source_of
from app.cli.problem.report_table import print_report
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.verification.trial import Effort, VerificationPools

Problems = Annotated[list[str] | None, typer.Argument(help=f"{NAMED} Several may be given.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write an HTML report to this file. For several packages, a folder of reports."),
]
Mutants = Annotated[
    int | None, typer.Option("--mutants", min=0, help="Try at most this many mutants of the reference.")
]
Record = Annotated[
    bool,
    typer.Option(
        "--record",
        help="Record the packages that pass in verified.json of the problems folder, and what their samples are and "
        "answer in its folder samples.",
    ),
]
Again = Annotated[bool, typer.Option("--again", help="With --all, verify unchanged packages too.")]


def verify_packages(
    problems: Problems = None,
    every: Annotated[bool, typer.Option("--all", help="Verify all packages of the problems folder.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Try fewer mutants, as for every change and in CI.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print each report as one line of JSON.")] = False,
    html: Html = None,
    mutants: Mutants = None,
    record: Record = False,
    again: Again = False,
) -> None:
    """Verify problem packages. Exit code 0 if all pass, 1 if one is refused, 3 if boxes failed.

    --all skips each package that verified.json records: it has not changed since it passed.
    """
    from app.verification.trial import Effort

    if record and (quick or mutants is not None):
        raise typer.BadParameter("only a whole verification is recorded", param_hint="--record")
    folder = read_settings().problems
    sources = map(source_of, list_folders(read_settings())) if every else map(find_source, problems or ())
    chosen = list(sources)
    if not chosen:
        raise typer.BadParameter("name a package, or give --all", param_hint="PROBLEMS")
    if html is not None and not html.absolute().parent.is_dir():
        raise typer.BadParameter(f"{html.parent} is not a folder", param_hint="--html")
    verified = VerifiedPackages.read(folder)
    named = chosen
    if every and not again:
        chosen = list(_changed(chosen, verified))
    reports: list[Report] = []
    for report, cases in _reports(chosen, Effort(is_quick=quick, mutants=mutants)):
        reports.append(report)
        if record and (folder / report.problem).resolve() in [source.path.resolve() for source in chosen]:
            verified.record(report, cases)
        if as_json:
            print(json.dumps(report.model_dump(mode="json")))
        else:
            print_report(report)
    if record:
        _record_samples([source for source in named if _lacks_samples(source, verified, again=again)])
    if html is not None:
        _write_page(html, reports)
    raise typer.Exit(any(not report.passed for report in reports))


def _changed(sources: list[PackageSource], verified: VerifiedPackages) -> Iterator[PackageSource]:
    for source in sources:
        record = verified.find_current(source.slug)
        if record is None:
            yield source
        else:
            errors.print(f"{source.slug} is unchanged since it passed on {record.date}", highlight=False)


def _lacks_samples(source: PackageSource, verified: VerifiedPackages, *, again: bool) -> bool:
    """Whether the package is recorded as verified, but not what its samples answer. `again`: whatever is recorded."""
    if source.path.resolve() != (verified.folder / source.slug).resolve():
        return False
    record = verified.find_current(source.slug)
    return record is not None and (again or find_sample_record(source.path, record.digest) is None)


def _record_samples(sources: list[PackageSource]) -> None:
    from app.engine.hints import record_samples

    packages = [(source.path, as_judged_here(source.load())) for source in sources]
    for needs_gpu in (False, True):
        chosen = [(path, package) for path, package in packages if package.manifest.limits.gpu is needs_gpu]
        if chosen:
            with _open_pools(read_settings(), needs_gpu=needs_gpu) as pools:
                for path, package in chosen:
                    write_sample_record(path, record_samples(package, pools.boxes, threading.Event()))
                    errors.print(f"{package.slug}: recorded its samples", highlight=False)


def _reports(sources: list[PackageSource], effort: "Effort") -> Iterator[tuple[Report, int]]:
    """Yield each report, and the number of the package's cases. One set of pools serves all packages.

    A package with faulty files is verified without them, if it can be. There are no pools if no package can be.
    """
    readable: list[tuple[Package, PackageInvalid | None]] = []
    for source in sources:
        try:
            readable.append((as_judged_here(source.load()), None))
        except PackageInvalid as invalid:
            if part := find_readable_part(source.slug, source.read_readable(), invalid):
                readable.append((as_judged_here(part), invalid))
            else:
                yield report_of(invalid, is_quick=effort.is_quick), 0
    for needs_gpu in (False, True):
        chosen = [(package, faults) for package, faults in readable if package.manifest.limits.gpu is needs_gpu]
        if chosen:
            with _open_pools(read_settings(), needs_gpu=needs_gpu) as pools:
                for package, faults in chosen:
                    report = _verify(package, pools, effort)
                    yield with_faults(report, faults) if faults else report, len(package.manifest.cases)


@contextmanager
def _open_pools(settings: Settings, *, needs_gpu: bool) -> Iterator["VerificationPools"]:
    from app.engine.boxes import describe_boxes
    from app.verification.trial import open_pools, private_launcher

    with ExitStack() as stack:
        gpus = stack.enter_context(use_gpus("all")) if needs_gpu else None
        launcher = stack.enter_context(private_launcher(settings, gpus))
        errors.print(describe_boxes(settings, launcher, gpu=needs_gpu), highlight=False, soft_wrap=True, markup=False)
        yield stack.enter_context(open_pools(settings, launcher))


def _verify(package: Package, pools: "VerificationPools", effort: "Effort") -> Report:
    from app.verification.verify import verify

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(f"{package.slug}: opening a box", total=None)

        def watch(step: str, done: int, total: int) -> None:
            bar.update(task, description=f"{package.slug}: {step}", completed=done, total=total)

        return verify(package, pools, watch, threading.Event(), effort)


def _write_page(path: Path, reports: list[Report]) -> None:
    """Write one HTML file, or for several packages a folder with a file for each."""
    from app.web.verification_html import render

    if len(reports) == 1:
        path.write_text(render(reports[0]), encoding="utf-8")
        return
    path.mkdir(parents=True, exist_ok=True)
    for report in reports:
        (path / f"{report.problem}.html").write_text(render(report), encoding="utf-8")
