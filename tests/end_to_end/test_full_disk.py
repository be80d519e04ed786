"""The disk of a running server fills up, and has room again."""

from pathlib import Path
from secrets import token_hex

import httpx
import pytest

from tests.cli.test_start_failures import as_root, fill_up, mounted
from tests.serving import NO_WORKER, SLUG, serve, wait_for


@as_root
@pytest.mark.whole
def test_a_full_disk_is_named_until_it_has_room(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "size=256m") as disk, serve(disk / "data", options=NO_WORKER) as served:
        student = served.sign_up()
        filler = fill_up(disk)

        with httpx.Client(base_url=served.url, timeout=90) as client:
            sent = {"source": f"# {token_hex(100_000)}"}  # compressed, it takes more than the files have room for
            who = {"Authorization": f"Bearer {student.token}"}
            refused = client.post(f"/api/v1/problems/{SLUG}/submissions", json=sent, headers=who)
            ready = client.get("/readyz")
            filler.unlink()
            wait_for(lambda: client.get("/readyz").status_code == 200)

        assert (refused.status_code, refused.json()["code"]) == (503, "disk_full")
        assert "disk is full" in refused.json()["detail"]
        assert ready.status_code == 503
        assert "disk: full, " in ready.json()["detail"]
        assert f"remove files from the disk of {disk}" in ready.json()["detail"]
