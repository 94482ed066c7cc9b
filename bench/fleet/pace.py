#!/usr/bin/env python3
"""How much faster do several nodes run a campaign than one?

Usage: bench/fleet/pace.py WARPTUNE RECORDING... [--nodes 8] [--tasks 64] [--budget 60] [--pace 1] [--rounds 3] [--store ADDRESS]

The nodes replay RECORDING at its recorded pace: they sleep for the recorded time of compiling and measuring. So this measures
what leases, publishing and starting add, and not how fast GPUs are. A campaign has one task for each seed of the search, all of
the same budget: evaluations, or recorded time such as 3s. Tasks of so many evaluations differ in length. Each round runs it
with one node and with --nodes nodes, in a new store.

Each run prints what explains its time. "CPU time" is that of all nodes. If it is near to the wall-clock time of all cores, the
cores are the limit, and a larger --pace is needed. "In tasks" is the mean time that a node spends in tasks: from the line that
says that a task begins to the line that says how it ended. "Between tasks" is the rest of the time until a node's last task ends,
with the start. "Idle at the end" is the mean time from then until the last node's last task ends. Nobody can avoid it if the tasks
left are fewer than the nodes. The second speed-up leaves it out.

Without --store, each run has a spool in a temporary folder. TMPDIR says where it and the nodes' state folders lie: in memory, the
nodes do not share a disk, as they would not on machines of their own. With --store, the campaigns of all runs are added to that store."""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import replaying_nodes


def run(arguments, name, recordings, address, nodes, folder):
    """Wall-clock time until all tasks are done, and the same without what nodes are idle at the end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    running = []
    for index in range(nodes):
        options = ["--pace", str(arguments.pace), "--until-done", "--poll-every", "0.5"]
        running.append(replaying_nodes.Node(arguments.warptune, address, recordings, folder / f"state-{nodes}-{index}", options))
    for node in running:
        if node.wait() != 0:
            raise SystemExit(f"a node ended with {node.process.returncode}")
        if len(node.began) != len(node.ended):
            raise SystemExit("an attempt ended in another way than by a report")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status = subprocess.run([str(arguments.warptune), "campaign", "status", name, "--store", address], check=True, capture_output=True,
                            text=True).stdout
    if f"{arguments.tasks} of {arguments.tasks} tasks done" not in status:
        raise SystemExit(f"not all tasks are done:\n{status}")
    lasts = [node.ended[-1][0] if node.ended else start for node in running]
    wall = max(lasts) - start
    idle = max(lasts) - statistics.mean(lasts)
    in_tasks = sum(ended - began for node in running for (began, _), (ended, _) in zip(node.began, node.ended)) / nodes
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
    parser.add_argument("--budget", default="60")
    parser.add_argument("--pace", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store")
    arguments = parser.parse_args()
    arguments.warptune = arguments.warptune.resolve()
    speedups, without_idle = [], []
    first = int(time.time())  # Names of campaigns are unique in a store.
    of = f"{arguments.budget} evaluations" if arguments.budget.isdigit() else arguments.budget
    print(f"{arguments.tasks} tasks of {of}, pace {arguments.pace:g}, {os.cpu_count()} cores")
    for turn in range(arguments.rounds):
        times = {}
        for number, nodes in enumerate((1, arguments.nodes)):
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                name = f"pace-{first}-{turn}-{number}"
                recordings, kernel = replaying_nodes.link_recordings(arguments.recordings, folder / "recordings")
                address = arguments.store or f"spool:{folder / 'spool'}"
                replaying_nodes.add_campaign(arguments.warptune, address, folder, name, kernel, arguments.tasks, arguments.budget)
                times[nodes] = run(arguments, name, recordings, address, nodes, folder)
        speedups.append(times[1][0] / times[arguments.nodes][0])
        without_idle.append(times[1][1] / times[arguments.nodes][1])
    print(f"speed-up of {arguments.nodes} nodes: {spread(speedups)}; without what nodes are idle at the end: {spread(without_idle)}")


if __name__ == "__main__":
    main()
