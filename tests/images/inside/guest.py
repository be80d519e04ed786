"""Lists the guest's files, each with its digest."""

import hashlib
import json
from pathlib import Path

GUEST = Path("/allclose/sandbox/guest")
files = [path for path in GUEST.rglob("*") if path.is_file() and path.suffix != ".pyc"]
print(json.dumps({str(path.relative_to(GUEST)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}))
