"""`allclose doctor`: check whether this machine can judge, with a command that fixes each problem."""

import json
import logging
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.console import errors, output
from app.database.disk import MIB, NEW_DATABASE_BYTES, find_existing, free_bytes, why_unwritable
from app.settings import Settings, read_settings
from sandbox.check.finding import HostFinding, Level, examine, lacks

if TYPE_CHECKING:
    from sandbox.check.host import HostReport, SandboxSettings

STYLES = {"fine": "green", "weak": "yellow", "optional": "cyan", "missing": "bold red"}
HEADINGS = {"machine": "Machine", "docker": "Docker", "bubblewrap": "Bubblewrap", "gpu": "GPU", "service": "Service"}
# The settings that decide which boxes run and how well they isolate.
SANDBOX_SETTINGS = {"sandbox", "isolation", "image_cpu", "image_cuda", "docker_runtime", "docker_apparmor", "max_runs"}
LEVEL_COLUMN = max(map(len, STYLES))
NAME_COLUMN = 17
SANDBOX_NAMES = {"docker": "a Docker Engine", "bubblewrap": "bubblewrap"}


def doctor(
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON. docs/sandbox.md describes the fields.")] = False,
) -> None:
    """Check whether this machine can judge, and how to fix what is missing. Exit code 1 if it can't judge."""
    from sandbox.check.host import check_host

    logging.getLogger("sandbox.launcher_choice").setLevel(logging.ERROR)  # the report below covers its warnings
    settings = read_settings(data=data)
    with errors.status("opening boxes …"):
        report = check_host(wanted(settings))
        findings = (*report.findings, *examine("service", lambda: check_service(settings)))
    can_judge = not lacks(findings)
    if as_json:
        print(json.dumps(as_object(settings, report, findings), indent=2))
    else:
        show(findings)
        output.print(conclude(settings, report, can_judge))
    raise typer.Exit(not can_judge)


def wanted(settings: Settings) -> "SandboxSettings":
    from app.engine.boxes import docker_options, find_kept_sandbox
    from sandbox.check.host import SandboxSettings

    return SandboxSettings(
        runtime=settings.runtime,
        sandbox=find_kept_sandbox(settings) or settings.sandbox,
        isolation=settings.isolation,
        docker=docker_options(settings),
    )


def as_object(settings: Settings, report: "HostReport", findings: Sequence[HostFinding]) -> dict[str, object]:
    """Return the JSON that docs/sandbox.md documents. `sandbox` is null if the chosen sandbox opens no box."""
    opens = report.isolation is not None
    return {
        "can_judge": not lacks(findings),
        "sandbox": report.chosen if opens else None,
        "isolation": report.isolation,
        "chosen": report.chosen,
        "why": report.why,
        "settings": settings.model_dump(mode="json", include=SANDBOX_SETTINGS),
        "findings": [asdict(finding) | {"remedy": finding.remedy or None} for finding in findings],
    }


def show(findings: Sequence[HostFinding]) -> None:
    """Print the findings by part, in the order in which the parts first appear."""
    for part in dict.fromkeys(finding.part for finding in findings):
        output.print(f"[bold]{HEADINGS[part]}[/]")
        for finding in findings:
            if finding.part == part:
                _show(finding)
    output.print()


def _show(finding: HostFinding) -> None:
    """Print a finding. The text wraps; the command does not, so that you can copy it."""
    row = Table.grid(padding=(0, 1))
    row.add_column(min_width=LEVEL_COLUMN + 2)
    row.add_column(min_width=NAME_COLUMN)
    row.add_column(ratio=1, overflow="fold")
    style = STYLES[finding.level]
    row.add_row(f"  [{style}]{finding.level}[/]", escape(finding.name), escape(finding.text))
    output.print(row)
    if finding.remedy:
        output.print(f"{'':{LEVEL_COLUMN + 3}}→ {escape(finding.remedy)}", soft_wrap=True, highlight=False)


def conclude(settings: Settings, report: "HostReport", can_judge: bool) -> str:
    sandbox = f"{SANDBOX_NAMES[report.chosen]} ({escape(_why(settings, report))})."
    if can_judge:
        return f"[bold green]This machine can judge.[/] Boxes run in {sandbox}"
    text = f"[bold red]This machine can't judge yet.[/] Fix what is missing. The chosen sandbox is {sandbox}"
    if report.instead is None:
        return text
    name = SANDBOX_NAMES[report.instead]
    return f"{text} {name.capitalize()} works on this machine: export ALLCLOSE_SANDBOX={report.instead}"


def _why(settings: Settings, report: "HostReport") -> str:
    from app.engine.boxes import KEPT_SANDBOX, find_kept_sandbox

    if find_kept_sandbox(settings):
        return f"the first start chose it, as {settings.data / KEPT_SANDBOX} says; ALLCLOSE_SANDBOX changes it"
    return f"ALLCLOSE_SANDBOX=auto: {report.why}" if settings.sandbox == "auto" else report.why


def check_service(settings: Settings) -> Iterator[HostFinding]:
    """Check the data folder, the database and the browser for tests."""
    yield check_data(settings)
    yield check_database(settings.database_url)
    yield check_browser()


def check_data(settings: Settings) -> HostFinding:
    """Check that the data folder can be written. With an external database it holds only a cache."""
    folder = settings.data.absolute()
    level: Level = "missing" if settings.database_url is None else "weak"
    existing = find_existing(folder / "postgres")
    remedy = 'export ALLCLOSE_DATA="$HOME/allclose-data"  # or another folder that you own'
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        why = why_unwritable(existing, error)
        text = f"{folder} can't be written: {why.reason if why else error.strerror}"
        return _finding("data folder", level, text, remedy)
    if (free := free_bytes(existing)) < NEW_DATABASE_BYTES:
        text = f"the disk of {folder} has only {free // MIB} MiB free; a new database needs {NEW_DATABASE_BYTES // MIB}"
        return _finding("data folder", level, text, f"df {existing}  # then remove files from that disk")
    text = f"{folder}" if folder.is_dir() else f"{folder}, which `allclose serve` will create"
    return _finding("data folder", "fine", text)


def check_database(url: str | None) -> HostFinding:
    """Check that the configured PostgreSQL answers. The embedded one needs nothing from the host."""
    if url is None:
        return _finding("database", "fine", "the embedded PostgreSQL")
    from app.cli.deployment import NoDatabase, read_version, with_driver
    from app.database.engine import Database

    try:
        with closing(Database(with_driver(url))) as database:
            version = read_version(database)
    except NoDatabase as error:
        return _finding("database", "missing", error.reason, error.remedy)
    return _finding("database", "fine", f"PostgreSQL {version} answers")


def check_browser() -> HostFinding:
    """Look for the browser that the tests use."""
    if path := shutil.which("chromium"):
        return _finding("browser tests", "fine", path)
    text = "no Chromium: `make test` skips the browser tests"
    return _finding("browser tests", "optional", text, "sudo apt-get install chromium")


def _finding(name: str, level: Level, text: str, remedy: str = "") -> HostFinding:
    return HostFinding(part="service", name=name, level=level, text=text, remedy=remedy)
