"""Worker processes for tests, and a database record of all that happens to judgings."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Row, text

from app.database.engine import Database

SHORT = ("1.5", "0.3")
LOCK_WAITS = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
RECORD = """
    CREATE TABLE record (
        at timestamptz DEFAULT clock_timestamp(), judging_id bigint, attempt int, state text, worker text
    );
    CREATE FUNCTION record_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO record (judging_id, attempt, state, worker)
        VALUES (NEW.judging_id, NEW.attempt, 'judging', NEW.worker);
        RETURN NEW;
    END $$;
    CREATE TRIGGER record AFTER UPDATE OF attempt ON jobs FOR EACH ROW EXECUTE FUNCTION record_claim();
    CREATE FUNCTION record_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO record (judging_id, attempt, state, worker) VALUES (NEW.id, NEW.attempt, 'done', NEW.worker);
        RETURN NEW;
    END $$;
    CREATE TRIGGER record AFTER UPDATE OF verdict ON judgings FOR EACH ROW EXECUTE FUNCTION record_end();
"""


@dataclass
class Fleet:
    """Starts workers, signals them by name, and ends them all at the end of a test."""

    database: Database
    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    module: str = "tests.queue.worker_process"

    def start(self, name: str, *, slots: int = 1, rhythm: tuple[str, str] = SHORT) -> None:
        arguments = [sys.executable, "-m", self.module, self.database.url, name, str(slots), *rhythm]
        with self._output(name).open("wb") as output:
            self.processes[name] = subprocess.Popen(arguments, stdout=output)

    def send(self, name: str, number: signal.Signals) -> None:
        self.processes[name].send_signal(number)

    def wait(self, name: str) -> int:
        return self.processes[name].wait(60)

    def output(self, name: str) -> str:
        return self._output(name).read_text()

    def _output(self, name: str) -> Path:
        return self.folder / f"{name}.out"

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


def keep_record(database: Database) -> None:
    with database.transaction() as session:
        session.execute(text(RECORD))


def read_record(database: Database, state: str) -> list[Row[int, int, str]]:
    """Return (judging, attempt, worker) for each time that a judging entered `state`, in order."""
    query = text("SELECT judging_id, attempt, worker FROM record WHERE state = :state ORDER BY at")
    with database.transaction() as session:
        return list(session.execute(query, {"state": state}))


def count_lock_waits(database: Database) -> int:
    """Return how many connections wait for a lock of another one."""
    with database.transaction() as session:
        return int(session.scalars(text(LOCK_WAITS)).one())


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so after {seconds} s"
        time.sleep(0.05)
