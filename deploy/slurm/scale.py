"""Submit workers to Slurm while submissions wait. A timer runs it: scale.py SETTINGS (scale.toml explains them)."""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HERE = Path(__file__).resolve().parent
# No more jobs after so many in a row that judged nothing: they would waste the cluster's time too.
MOST_FRUITLESS = 3
JUDGED = "judged: "  # in the log's line of each verdict


@dataclass(frozen=True, kw_only=True)
class Group:
    """The jobs of one queue in one partition. `states`: of those that have not ended."""

    limits: dict[str, Any]
    logs: Path
    states: dict[int, str]

    @property
    def connections(self) -> int:
        return len(self.states) * int(self.limits["connections"])

    @property
    def is_fruitless(self) -> bool:
        logs = {int(log.stem): log for log in self.logs.glob("*.log")}
        last = [logs[job] for job in sorted(logs.keys() - self.states)][-MOST_FRUITLESS:]
        return len(last) == MOST_FRUITLESS and not any(JUDGED in log.read_text(errors="replace") for log in last)

    def submit(self) -> None:
        """Submit a job. Its log exists even if the job never begins."""
        self.logs.mkdir(parents=True, exist_ok=True)
        options = [f"--job-name={self.logs.name}", f"--partition={self.limits['partition']}", *self.limits["sbatch"]]
        place = [f"--output={self.logs}/%j.log", f"--chdir={HERE.parents[1]}"]
        worker = [str(HERE / "worker.sh"), "--queue", self.limits["queue"], *self.limits["worker"]]
        answer = subprocess.check_output(["sbatch", "--parsable", *options, *place, *worker], text=True)
        (self.logs / f"{answer.strip().partition(';')[0]}.log").touch()


def main(file: Path) -> None:
    settings = tomllib.loads(file.read_text())
    groups = [find_group(limits, Path(settings["logs"])) for limits in settings["jobs"]]
    waiting, free = read_waiting(settings), settings["connections"] - sum(group.connections for group in groups)
    fruitless = [group for group in groups if group.is_fruitless]
    for group in (each for each in groups if each not in fruitless):
        limits, pending = group.limits, list(group.states.values()).count("PENDING")
        wanted = ceil(waiting[limits["queue"]] / limits["submissions"]) - pending
        new = max(0, min(wanted, limits["most"] - len(group.states), free // limits["connections"]))
        for _ in range(new):
            group.submit()
        free -= new * limits["connections"]
        waiting[limits["queue"]] -= (pending + new) * limits["submissions"]
    if fruitless:
        sys.exit(f"These jobs judged nothing. Read and remove their logs: {[str(group.logs) for group in fruitless]}")


def find_group(limits: dict[str, Any], logs: Path) -> Group:
    name = f"allclose-{limits['queue']}-{limits['partition']}"
    listed = subprocess.check_output(["squeue", "--me", "--noheader", f"--name={name}", "--format=%A %T"], text=True)
    jobs = map(str.split, listed.splitlines())
    return Group(limits=limits, logs=logs / name, states={int(job): state for job, state in jobs})


def read_waiting(settings: dict[str, Any]) -> dict[str, int]:
    """Return the number of waiting submissions of each queue."""
    headers = {"Authorization": f"Bearer {Path(settings['token_file']).read_text().strip()}"}
    with urlopen(Request(f"{settings['server']}/api/v1/queue", headers=headers), timeout=60) as answer:
        queues = json.load(answer)["queues"]
    return {name: sum(each["depth"] for each in queues if each["queue"] == name) for name in ("cpu", "gpu")}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
