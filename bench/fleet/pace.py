#!/usr/bin/env python3
"""How much faster do several nodes run a campaign than one?

Usage: bench/fleet/pace.py WARPTUNE RECORDING... [--nodes 8] [--tasks 64] [--budget 60] [--pace 1] [--rounds 3] [--store ADDRESS]

The nodes replay RECORDING at its recorded pace: they sleep for the recorded time of compiling and measuring. So this measures
what leases, publishing and starting add, and not how fast GPUs are. A campaign has one task for each seed of the search, all of
the same budget. Each round runs it with one node and with --nodes nodes, in a new store.

Each run prints what explains its time. "CPU time" is that of all nodes: where it comes near to the cores of the machine times the
wall-clock time, the cores are the limit, and a larger --pace is needed. "In tasks" is the mean time of a node from the line that
says that a task begins to the line that says how it ended; "between tasks" is the rest until a node's last task ends, with the
start. "Idle at the end" is the mean time from then until the last node's last task ends: nobody can avoid it where the tasks left
are fewer than the nodes. The second speed-up leaves it out.

Without --store, each run has a spool in a temporary folder. With it, the campaigns of all runs are added to that store."""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import threading
import time


def campaign_text(name, kernel, arguments):
    tables = "".join(f'[[tune]]\nkernel = "{kernel}"\nseed = {seed}\n' for seed in range(1, arguments.tasks + 1))
    return f'name = "{name}"\n[defaults]\nstrategy = "random"\nbudget = {arguments.budget}\nmetrics = "none"\n{tables}'


class Node:
    """A node of a run, and when its tasks began and ended."""

    def __init__(self, command):
        self.began, self.ended = [], []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if ", GPU 0: " in line:
                (self.ended if ", GPU 0: done, " in line else self.began).append(time.monotonic())

    def wait(self):
        if self.process.wait() != 0:
            raise SystemExit(f"a node ended with {self.process.returncode}")
        self.reader.join()
        if len(self.began) != len(self.ended):
            raise SystemExit("an attempt ended in another way than by a report")


def run(arguments, name, recordings, address, nodes, folder):
    """Wall-clock time until all tasks are done, and the same without what nodes are idle at the end."""
    warptune = str(arguments.warptune.resolve())
    subprocess.run([warptune, "campaign", "init", "--store", address], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([warptune, "campaign", "add", str(folder / "campaign.toml"), "--store", address], check=True, stdout=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    running = []
    for index in range(nodes):
        command = [warptune, "node", "--store", address, "--replay", str(recordings), "--pace", str(arguments.pace), "--jobs", "16",
                   "--until-done", "--poll-every", "0.5", "--state", str(folder / f"state-{nodes}-{index}")]
        running.append(Node(command))
    for node in running:
        node.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status = subprocess.run([warptune, "campaign", "status", name, "--store", address], check=True, capture_output=True, text=True).stdout
    if f"{arguments.tasks} of {arguments.tasks} tasks done" not in status:
        raise SystemExit(f"not all tasks are done:\n{status}")
    lasts = [node.ended[-1] if node.ended else start for node in running]
    wall = max(lasts) - start
    idle = max(lasts) - statistics.mean(lasts)
    in_tasks = sum(sum(node.ended) - sum(node.began) for node in running) / nodes
    print(f"  {nodes} node{'s' if nodes > 1 else ''}: {wall:.2f} s = in tasks {in_tasks:.2f} s + between tasks {wall - idle - in_tasks:.2f} s "
          f"+ idle at the end {idle:.2f} s; CPU time {cpu:.2f} s ({cpu / wall:.2f} cores); load average {os.getloadavg()[0]:.1f}", flush=True)
    return wall, wall - idle


def spread(values):
    return f"median {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("recordings", nargs="+", type=pathlib.Path, metavar="RECORDING")
    parser.add_argument("--nodes", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=64)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--pace", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store")
    arguments = parser.parse_args()
    speedups, without_idle = [], []
    first = int(time.time())  # Names of campaigns are unique in a store.
    print(f"{arguments.tasks} tasks of {arguments.budget} evaluations, pace {arguments.pace:g}, {os.cpu_count()} cores")
    for turn in range(arguments.rounds):
        times = {}
        for number, nodes in enumerate((1, arguments.nodes)):
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                name = f"pace-{first}-{turn}-{number}"
                recordings = folder / "recordings"
                recordings.mkdir()
                for recording in arguments.recordings:
                    (recordings / recording.name).symlink_to(recording.resolve())
                kernel = arguments.recordings[0].name.rsplit("-", 1)[0]
                (folder / "campaign.toml").write_text(campaign_text(name, kernel, arguments))
                address = arguments.store or f"spool:{folder / 'spool'}"
                times[nodes] = run(arguments, name, recordings, address, nodes, folder)
        speedups.append(times[1][0] / times[arguments.nodes][0])
        without_idle.append(times[1][1] / times[arguments.nodes][1])
    print(f"speed-up of {arguments.nodes} nodes: {spread(speedups)}; without what nodes are idle at the end: {spread(without_idle)}")


if __name__ == "__main__":
    main()
