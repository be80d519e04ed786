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
from app.catalog.package import Package
from app.catalog.verification_report import Report, report_of
from app.cli.console import errors
from app.cli.gpu import use_gpus
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


def verify_packages(
    problems: Problems = None,
    every: Annotated[bool, typer.Option("--all", help="Verify all packages of the problems folder.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Try fewer mutants, as for every change and in CI.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print each report as one line of JSON.")] = False,
    html: Html = None,
    mutants: Mutants = None,
) -> None:
    """Verify problem packages. Exit code 0 if all pass, 1 if one is refused, 3 if boxes failed."""
    from app.verification.trial import Effort

    sources = map(source_of, list_folders(read_settings())) if every else map(find_source, problems or ())
    chosen = list(sources)
    if not chosen:
        raise typer.BadParameter("name a package, or give --all", param_hint="PROBLEMS")
    if html is not None and not html.absolute().parent.is_dir():
        raise typer.BadParameter(f"{html.parent} is not a folder", param_hint="--html")
    reports: list[Report] = []
    for report in _reports(chosen, Effort(is_quick=quick, mutants=mutants)):
        reports.append(report)
        if as_json:
            print(json.dumps(report.model_dump(mode="json")))
        else:
            print_report(report)
    if html is not None:
        _write_page(html, reports)
    raise typer.Exit(any(not report.passed for report in reports))


def _reports(sources: list[PackageSource], effort: "Effort") -> Iterator[Report]:
    """One set of pools serves all packages; there is none when no package can be read."""
    sound: list[Package] = []
    for source in sources:
        try:
            sound.append(source.load())
        except PackageInvalid as invalid:
            yield report_of(invalid, is_quick=effort.is_quick)
    for needs_gpu in (False, True):
        packages = [package for package in sound if package.manifest.limits.gpu is needs_gpu]
        if packages:
            with _open_pools(read_settings(), needs_gpu=needs_gpu) as pools:
                yield from (_verify(package, pools, effort) for package in packages)


@contextmanager
def _open_pools(settings: Settings, *, needs_gpu: bool) -> Iterator["VerificationPools"]:
    from app.verification.trial import open_pools, private_launcher

    with ExitStack() as stack:
        gpus = stack.enter_context(use_gpus("all")) if needs_gpu else None
        launcher = stack.enter_context(private_launcher(settings, gpus))
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
    from app.web.report.render import render

    if len(reports) == 1:
        path.write_text(render(reports[0]), encoding="utf-8")
        return
    path.mkdir(parents=True, exist_ok=True)
    for report in reports:
        (path / f"{report.problem}.html").write_text(render(report), encoding="utf-8")
