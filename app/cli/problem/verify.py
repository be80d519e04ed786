"""`allclose problem verify`: proves that packages are right before anybody sees them."""

import threading
from pathlib import Path
from typing import Annotated

import typer

from app.catalog.package import load_package
from app.cli.console import output
from app.cli.problem.folder import find_folder
from app.settings import read_settings


def verify_packages(
    problems: Annotated[list[str], typer.Argument(help="Folders of packages, or slugs.")],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer mutants: for every change, and for CI.")] = False,
) -> None:
    """Verify problem packages. Exit code 0 only when all pass."""
    from app.worker.boxes import open_launcher
    from app.worker.verification.bench import open_bench
    from app.worker.verification.trial import Effort
    from app.worker.verification.verify import verify

    settings = read_settings()
    with open_bench(settings, open_launcher(settings, cache=None)) as bench:
        for problem in problems:
            package = load_package(Path(find_folder(problem)))
            report = verify(package, bench, lambda *_: None, threading.Event(), Effort(is_quick=quick))
            output.print_json(report.model_dump_json())
