"""Writes docs/catalogue.md: the shipped problems by track, from their manifests and problems/verified.json."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from app.catalog.package import Package, load_packages
from app.catalog.track import read_track_file, title_of
from app.catalog.verified import VerifiedPackage, VerifiedPackages

PREFACE = """# The catalogue

Which problems does Allclose ship, and how well do their cases judge? `make catalogue` writes this page from the
packages in `problems/` and from `problems/verified.json`, the record of their last verification.

- **Strength**: the share of small faults, planted in the reference, that the cases notice
  ([authoring.md](authoring.md#verify)).
- **Cases** and **shapes**: JAX compiles a program for each shape, and every student waits for that. So the cases of a
  JAX or PyTorch problem share at most four shapes. NumPy compiles nothing: a new shape costs no more than another
  case, so a NumPy problem may have a shape of its own for each thing that a case tests. `adamw_step_jax` has six
  because its cases have lists of gradients of different lengths; its function sees two structures and is compiled for
  those only.
- **Seconds**: the time of a whole verification on the machine that recorded it.
"""
HEADINGS = ("problem", "frameworks", "difficulty", "strength", "cases", "shapes", "seconds")
RIGHT = ("strength", "cases", "shapes", "seconds")
NO_TRACK = "Other problems"


def write_catalogue(folder: Path) -> str:
    packages = load_packages(folder)
    records = VerifiedPackages.read(folder).records
    lines = [PREFACE, f"{len(packages)} problems, {len(records)} of them with a recorded verification.", ""]
    for title, members in _by_track(folder, packages):
        lines += [f"## {title}", "", *_table(members, records), ""]
    return "\n".join(lines)


def _by_track(folder: Path, packages: Sequence[Package]) -> Iterator[tuple[str, list[Package]]]:
    """Yield each track's title and problems, in the order of `tracks.yaml`, and last the problems without a track."""
    file = read_track_file(folder)
    titles = {slug: track.title for slug, track in file.tracks.items()} if file else {}
    order = [*titles, *sorted({package.manifest.track or "" for package in packages} - {*titles, ""}), ""]

    def place(package: Package) -> tuple[int, int, str]:
        return order.index(package.manifest.track or ""), package.manifest.position or 0, package.slug

    in_order = sorted(packages, key=place)
    for track, members in groupby(in_order, key=lambda package: package.manifest.track):
        yield (titles.get(track) or title_of(track) if track else NO_TRACK), list(members)


def _table(packages: Sequence[Package], records: dict[str, VerifiedPackage]) -> Iterator[str]:
    yield f"| {' | '.join(HEADINGS)} |"
    yield f"|{'|'.join('--:' if heading in RIGHT else '---' for heading in HEADINGS)}|"
    for package in packages:
        yield f"| {' | '.join(_row(package, records.get(package.slug)))} |"


def _row(package: Package, record: VerifiedPackage | None) -> tuple[str, ...]:
    manifest = package.manifest
    title = f"[{manifest.title.replace('|', chr(92) + '|')}](../problems/{package.slug}/statement.md)"
    strength = "–" if record is None or record.strength is None else f"{int(100 * record.strength + 1e-9)} %"
    measured = ("–", "–") if record is None else (str(record.shapes), f"{record.seconds:.0f}")
    return title, ", ".join(manifest.frameworks), manifest.difficulty, strength, str(len(manifest.cases)), *measured
