"""`allclose judge`: judge a file in a box on this machine, without a server or database."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.problem.package_source import NAMED, find_source
from app.cli.source import read_source, read_text


def judge(
    problem: Annotated[str, typer.Argument(help=NAMED)],
    file: Annotated[Path, typer.Argument(help="The solution to judge.", exists=True, dir_okay=False)],
    sample: Annotated[bool, typer.Option("--sample", help="Run the sample cases only.")] = False,
    inputs: Annotated[
        Path | None,
        typer.Option(help="A YAML file of custom inputs to run instead of the cases.", exists=True, dir_okay=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the submission as JSON.")] = False,
    seed: Annotated[
        str | None, typer.Option(help="Draw the hidden cases from this text. Default: new cases every day.")
    ] = None,
) -> None:
    """Judge a solution on this machine. Exit code 0 only if accepted, 3 if the judge failed."""
    package, source = find_source(problem).load(), read_source(file)
    own_inputs = read_text(inputs) if inputs else None

    from app.cli.local_judge import Order, judge_locally

    order = Order(package=package, source=source, seed=seed, sample_only=sample, inputs=own_inputs, as_json=as_json)
    raise typer.Exit(judge_locally(order))
