"""Where commands print: results on standard output, progress and errors on standard error."""

from rich.console import Console

output = Console()
errors = Console(stderr=True)
