"""A cluster of one node on this machine: munged, slurmctld and slurmd, without cgroups."""

import getpass
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.settings import ROOT
from tests.accounts.mail_server import free_port
from tests.lacking import do_without

DAEMONS = ("munged", "slurmctld", "slurmd")
PARTITION = "short"
CPUS = 4
# Only root can make devices that stand in for them.
GPUS = 2 if os.geteuid() == 0 else 0
START_SECONDS = 60
CONFIGURATION = """
ClusterName=allclose
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
KillWait=30
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=16000{gpus}
PartitionName={partition} Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """`environment`: of the user who submits jobs, and so of the jobs."""

    environment: Mapping[str, str]

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout

    def states(self) -> dict[int, str]:
        """Return the state of each job, also of those that have ended."""
        listed = self.run("squeue", "--states=all", "--noheader", "--format=%A %T")
        return {int(job): state for job, state in map(str.split, listed.splitlines())}


@contextmanager
def running_cluster(home: Path) -> Iterator[Cluster]:
    """`home`: the home folder of the user who submits jobs."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    if not all(shutil.which(name, path=path) for name in (*DAEMONS, "sbatch")):
        do_without("there is no Slurm (Debian, Ubuntu: sudo apt-get install slurm-wlm munge)")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="allclose-slurm-")))
        configuration = folder / "slurm.conf"
        configuration.write_text(_configure(folder))
        environment = {**os.environ, "PATH": path, "SLURM_CONF": str(configuration), "HOME": str(home)}
        for name in ("state", "spool"):
            (folder / name).mkdir()
        for number in range(GPUS):
            os.mknod(folder / f"nvidia{number}", stat.S_IFCHR | 0o600, Path("/dev/null").stat().st_rdev)
        (folder / "gres.conf").write_text(f"Name=gpu File={folder}/nvidia[0-{GPUS - 1}]\n" if GPUS else "")
        (folder / "munge.key").touch(mode=0o600)
        (folder / "munge.key").write_bytes(os.urandom(1024))
        munge = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid", "seed-file": "munge.seed"}
        files = [f"--{option}={folder / name}" for option, name in munge.items()]
        for command in (
            ["munged", "--foreground", "--force", *files],
            ["slurmctld", "-D", "-i"],
            ["slurmd", "-D"],
        ):
            stack.enter_context(_daemon(command, environment, folder / f"{command[0]}.log"))
        cluster = Cluster(environment=environment)
        _wait_until_idle(cluster, folder)
        yield cluster


def _configure(folder: Path) -> str:
    return CONFIGURATION.format(
        folder=folder,
        host=socket.gethostname().partition(".")[0],
        user=getpass.getuser(),
        controller_port=free_port(),
        node_port=free_port(),
        cpus=CPUS,
        gpus=f" Gres=gpu:{GPUS}" if GPUS else "",
        partition=PARTITION,
    )


@contextmanager
def _daemon(command: list[str], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    with log.open("wb") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        try:
            yield
        finally:
            process.terminate()


def _wait_until_idle(cluster: Cluster, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    command = ["sinfo", "--noheader", "--format=%T"]
    while (
        "idle" not in (said := subprocess.run(command, env=cluster.environment, capture_output=True, text=True)).stdout
    ):
        logs = "".join(log.read_text(errors="replace")[-3000:] for log in folder.glob("*.log"))
        assert time.monotonic() < deadline, f"{said.stdout}{said.stderr}{logs}"
        time.sleep(0.5)
