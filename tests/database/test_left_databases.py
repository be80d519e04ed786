"""Databases that a killed test run leaves behind."""

import os
import subprocess
from pathlib import Path

from tests.conftest import DATABASES, remove_left_databases
from tests.database.test_embedded_postgres import is_alive, other_owner


def test_the_databases_of_a_killed_test_run_are_removed_and_those_of_a_living_one_stay(tmp_path: Path) -> None:
    with subprocess.Popen("true") as dead:
        pass
    left, living = (tmp_path / f"{DATABASES}{pid}-x" for pid in (dead.pid, os.getpid()))
    living.mkdir()
    with other_owner(left) as (owner, server):
        owner.kill()
        owner.wait()

    remove_left_databases(tmp_path)

    assert not is_alive(server)
    assert list(tmp_path.iterdir()) == [living]
