"""Print the requirements of the service's image, one per line: `requirements.py pyproject.toml`."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text())
extras = project["project"]["optional-dependencies"]
print(*project["project"]["dependencies"], *extras["container"], sep="\n")
