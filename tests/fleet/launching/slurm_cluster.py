"""A Slurm cluster of three nodes on this machine, for tests. Its daemons run as the user of the test. Each node says that it has a
GPU, but has none."""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "sinfo")
NODES = 3
START_S = 60

CONFIGURATION = """ClusterName=warptune
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
MpiDefault=none
GresTypes=gpu
ReturnToService=2
KillWait=10
NodeName=node[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{ports}] CPUs=2 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def environment():
    """The environment with the folders in which Debian puts daemons."""
    return {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}


def missing_programs():
    return [name for name in PROGRAMS if not shutil.which(name, path=environment()["PATH"])]


def free_ports(count):
    """Consecutive free ports, or those that were free a moment ago."""
    for first in range(20000 + os.getpid() % 20000, 60000, count):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


class SlurmCluster:
    """Starts munged, slurmctld and the slurmds, and ends them: with SlurmCluster(folder) as cluster."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**environment(), "SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self, *command):
        subprocess.run(command, env=self.environment, check=True, timeout=START_S, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def __enter__(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (self.folder / "state").mkdir()
        port = free_ports(NODES + 1)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder, port=port,
            ports=f"{port + 1}-{port + NODES}", nodes=NODES))
        (self.folder / "gres.conf").write_text(f"NodeName=node[1-{NODES}] Name=gpu File=/dev/null\n")
        try:
            self.start("munged", f"--key-file={key}", f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                       f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed", "--force")
            self.start("slurmctld", "-f", self.environment["SLURM_CONF"])
            for node in range(1, NODES + 1):
                self.start("slurmd", "-N", f"node{node}", "-f", self.environment["SLURM_CONF"])
            self.wait_for_nodes()
        except BaseException:
            self.end()
            raise
        return self

    def wait_for_nodes(self):
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            done = self.run("sinfo", "--noheader", "--Node", "--format=%T")
            if done.stdout.split() == ["idle"] * NODES:
                return
            time.sleep(0.5)
        raise RuntimeError(f"the nodes of Slurm are not ready: {done.stdout}{done.stderr}")

    def run(self, *command, timeout=START_S, **variables):
        return subprocess.run(list(map(str, command)), env={**self.environment, **variables}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout)

    def pids(self):
        for file in [*sorted(self.folder.glob("slurmd.*.pid")), self.folder / "slurmctld.pid", self.folder / "munged.pid"]:
            with contextlib.suppress(OSError, ValueError):
                yield int(file.read_text())

    def end(self):
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            self.run("scancel", "--full", f"--user={getpass.getuser()}")
        for pid in list(self.pids()):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and list(self.pids()):  # Each daemon removes its file at its end.
            time.sleep(0.1)

    def __exit__(self, *_):
        self.end()
