"""The name of a package's content."""

import hashlib
from collections.abc import Mapping

# Part of every digest: a change of the recipe makes new revisions and never mistakes one content for another.
_RECIPE = b"allclose package 1\n"


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 in hex over the paths and contents, in order of path.

    Each is preceded by its length, so that no two packages run together into the same bytes. Modes, times and the
    order of the mapping do not count.
    """
    total = hashlib.sha256(_RECIPE)
    for path, content in sorted((path.encode(), content) for path, content in files.items()):
        for part in (path, content):
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)
    return total.hexdigest()
