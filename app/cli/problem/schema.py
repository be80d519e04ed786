"""`allclose problem schema`: the JSON Schema of `problem.yaml`."""

import json

import typer


def schema() -> None:
    """Print the JSON Schema of problem.yaml. Editors use it to complete and check the file.

    A server has the same schema at /schema/problem.json.
    """
    from app.catalog.manifest import manifest_schema

    typer.echo(json.dumps(manifest_schema(), indent=2))
