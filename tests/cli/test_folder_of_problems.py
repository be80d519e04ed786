"""`allclose serve` reads its folder of problems when it starts."""

from pathlib import Path

import pytest

from app.catalog.track import list_tracks
from app.cli.server import publish_packages
from app.database.engine import Database
from app.settings import Settings
from tests.catalog.packages import write_package


def test_tracks_are_named_by_the_file_and_one_that_is_broken_changes_nothing(
    tmp_path: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path / "scaled_sum")
    settings, tracks = Settings(problems=tmp_path), tmp_path / "tracks.yaml"

    def titles(text: str) -> list[str]:
        tracks.write_text(text)
        publish_packages(settings, database)
        with database.transaction() as session:
            return [track.title for track in list_tracks(session)]

    assert titles("tracks: {basics: {title: First steps}}") == ["First steps"]
    assert titles("tracks: {basics: {}}") == ["First steps"]
    assert "tracks.yaml:1: tracks.basics.title is missing" in capsys.readouterr().err
    assert titles("tracks: {}") == ["Basics"]
