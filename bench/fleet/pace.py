#!/usr/bin/env python3
"""How much faster do several nodes run a campaign than one?

Usage: bench/fleet/pace.py WARPTUNE RECORDING... [--nodes 8] [--tasks 64] [--budget 60] [--pace 1] [--rounds 3] [--store ADDRESS]

The nodes replay RECORDING at its recorded pace: they sleep for the recorded time of compiling and measuring. So this measures
what leases, publishing and starting add, and not how fast GPUs are. A campaign has one task for each seed of the search, all of
the same budget. Each round runs it with one node and with --nodes nodes, in a new store. The CPU time of all nodes is printed,
too: where it comes near to the cores of the machine times the wall-clock time, the cores are the limit. Choose a larger --pace
then.

Without --store, each run has a spool in a temporary folder. With it, the campaigns of all runs are added to that store."""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time


def campaign_text(name, kernel, arguments):
    tables = "".join(f'[[tune]]\nkernel = "{kernel}"\nseed = {seed}\n' for seed in range(1, arguments.tasks + 1))
    return f'name = "{name}"\n[defaults]\nstrategy = "random"\nbudget = {arguments.budget}\nmetrics = "none"\n{tables}'


def run(arguments, name, recordings, address, nodes, folder):
    """Wall-clock time until all tasks are done, and the CPU time of the nodes."""
    warptune = str(arguments.warptune.resolve())
    subprocess.run([warptune, "campaign", "init", "--store", address], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([warptune, "campaign", "add", str(folder / "campaign.toml"), "--store", address], check=True, stdout=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    processes = []
    for index in range(nodes):
        command = [warptune, "node", "--store", address, "--replay", str(recordings), "--pace", str(arguments.pace), "--jobs", "16",
                   "--until-done", "--poll-every", "0.5", "--state", str(folder / f"state-{nodes}-{index}")]
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
    for process in processes:
        if process.wait() != 0:
            raise SystemExit(f"a node ended with {process.returncode}")
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    status = subprocess.run([warptune, "campaign", "status", name, "--store", address], check=True, capture_output=True, text=True).stdout
    if f"{arguments.tasks} of {arguments.tasks} tasks done" not in status:
        raise SystemExit(f"not all tasks are done:\n{status}")
    return wall, cpu


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
    speedups = []
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
                wall, cpu = run(arguments, name, recordings, address, nodes, folder)
                times[nodes] = wall
                print(f"  {nodes} node{'s' if nodes > 1 else ''}: {wall:7.2f} s, {cpu:6.2f} s of CPU time ({cpu / wall:.2f} cores)", flush=True)
        speedups.append(times[1] / times[arguments.nodes])
    print(f"speed-up of {arguments.nodes} nodes: median {statistics.median(speedups):.2f} ({min(speedups):.2f} to {max(speedups):.2f})")


if __name__ == "__main__":
    main()
