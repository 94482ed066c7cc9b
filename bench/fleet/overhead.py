#!/usr/bin/env python3
"""How much longer does a node take than local `warptune tune` sessions of the same tasks?

Usage: bench/fleet/overhead.py WARPTUNE OUT [--rounds 3] [--budget 60] [--replay RECORDINGS [--pace 1]]

Each round runs the tasks once with `warptune tune`, one after the other in one database, and once with `warptune node` and a
spool. The order alternates. Both start with an empty compile cache and without known roofs. A task is measured until its number
of evaluations is reached, so both do the same work. This is done with the first task alone, and with all tasks in a row.

* Whole: from the start of the first process to the end of the last one.
* Sessions: from the lease of a task to its report (the node), or from the start of a process to its end (`tune`). The time of
  `warptune tune --budget 1 --pace 0` is shown apart, and so is that of a node that finds no task: both are starts and ends.
* CPU time: of all processes, with those that they have started.

Without --replay it needs a GPU. With two GPUs, a node with both follows. With --replay, recordings stand for the GPU, and each
evaluation takes its recorded time. OUT receives what the programs print."""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TASKS = [("transpose", {"M": 4096, "N": 4096}), ("transpose", {"M": 8192, "N": 2048}), ("softmax", {}), ("rmsnorm", {})]
# Recordings of this repository, with the sizes that they have.
RECORDED = [("transpose", {}), ("softmax", {}), ("rmsnorm", {}), ("layernorm", {})]


class Times:
    """The seconds of one run."""

    def __init__(self):
        self.whole = self.sessions = self.cpu = 0.0

    def add(self, other):
        self.whole += other.whole
        self.sessions += other.sessions
        self.cpu += other.cpu


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, log, began=None, ended=None):
    """Runs a program. Lines of JSON on standard output say with their event when a session begins and ends."""
    times = Times()
    cpu = cpu_of_children()
    start = time.monotonic()
    session = start
    with open(log, "a", encoding="utf-8") as stream, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream, text=True) as process:
        for line in process.stdout:
            now = time.monotonic()
            stream.write(line)
            event = json.loads(line)["event"] if line.startswith("{") and began else ""
            if event == began:
                session = now
            if event and event == ended:
                times.sessions += now - session
                session = now
    times.whole = time.monotonic() - start
    times.cpu = cpu_of_children() - cpu
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}; see {log}")
    return times


def campaign_text(tasks, budget):
    lines = [f'name = "overhead"\n[defaults]\nbudget = {budget}\n']
    for kernel, sizes in tasks:
        lines.append(f'[[tune]]\nkernel = "{kernel}"\n')
        if sizes:
            lines.append(f"sizes = {{ {', '.join(f'{name} = {size}' for name, size in sizes.items())} }}\n")
    return "".join(lines)


def recording_of(arguments, kernel):
    return (arguments.replay / f"{kernel}-h200.wtrec.zst").resolve()


def run_local(arguments, tasks, folder, log, budget=None, pace=None):
    total = Times()
    for kernel, sizes in tasks:
        command = [str(arguments.warptune), "tune", kernel, "--budget", str(budget or arguments.budget), "--db", str(folder / "local.db"),
                   "--no-transfer", "--compile-cache", str(folder / "cache")]
        if arguments.replay:
            # A replay takes as long as with so many compile workers. A node has one for each core.
            command += ["--jobs", str(os.cpu_count()), "--replay", str(recording_of(arguments, kernel))]
            command += ["--pace", str(arguments.pace if pace is None else pace)]
        else:
            command += ["--measure"]
        for name, size in sizes.items():
            command += ["--size", f"{name}={size}"]
        one = timed(command, log)
        one.sessions = one.whole
        total.add(one)
    return total


def run_node(arguments, tasks, folder, log, devices="0"):
    address = f"spool:{folder / 'spool'}"
    (folder / "campaign.toml").write_text(campaign_text(tasks, arguments.budget))
    timed([str(arguments.warptune), "campaign", "init", "--store", address], log)
    if tasks:
        timed([str(arguments.warptune), "campaign", "add", str(folder / "campaign.toml"), "--store", address], log)
    command = [str(arguments.warptune), "node", "--store", address, "--until-done", "--poll-every", "0.5", "--progress", "json",
               "--state", str(folder / "state"), "--compile-cache", str(folder / "cache")]
    if arguments.replay:
        offered = folder / "offered"  # A node reads all recordings of its folder. `tune` reads only its own.
        offered.mkdir()
        for kernel, _ in tasks or RECORDED[:1]:
            recording = recording_of(arguments, kernel)
            (offered / recording.name).symlink_to(recording)
        command += ["--replay", str(offered), "--pace", str(arguments.pace)]
    else:
        command += ["--device", devices]
    return timed(command, log, "task_began", "task_ended")


def gpu_count(arguments):
    if arguments.replay:
        return 0
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False)
    return len(listed.stdout.splitlines())


def measure(arguments, runs, title):
    """Runs everything in turn, and prints a table."""
    times = {name: [] for name in runs}
    for turn in range(arguments.rounds):
        for name in list(runs) if turn % 2 == 0 else reversed(list(runs)):
            with tempfile.TemporaryDirectory() as folder:
                log = arguments.out / f"{name.replace(', ', '-').replace(' ', '-')}.txt"
                times[name].append(runs[name](pathlib.Path(folder), log))
            print(f"{title}, round {turn + 1}, {name}: {times[name][-1].whole:.2f} s", flush=True)
    return times


def table(title, times, one, other, wanted):
    print(f"\n{title}")
    for name, rows in times.items():
        for what in ("whole", "sessions", "cpu"):
            seconds = [getattr(row, what) for row in rows]
            print(f"  {name:14} {what:9} median {statistics.median(seconds):8.3f} s ({min(seconds):.3f} to {max(seconds):.3f})")
    for what in ("whole", "sessions", "cpu"):
        ratios = [getattr(a, what) / getattr(b, what) for a, b in zip(times[one], times[other]) if getattr(b, what) > 0.0]
        if ratios:
            print(f"  {one} / {other} {what:9} median {statistics.median(ratios):7.4f} ({min(ratios):.4f} to {max(ratios):.4f}){wanted if what == 'whole' else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--replay", type=pathlib.Path, help="a folder of recordings that stand for a GPU")
    parser.add_argument("--pace", type=float, default=1.0, help="how many times the recorded time a replay takes")
    arguments = parser.parse_args()
    arguments.warptune = arguments.warptune.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    tasks = RECORDED if arguments.replay else TASKS
    for title, chosen in (("one task", tasks[:1]), (f"{len(tasks)} tasks in a row", tasks)):
        runs = {"tune": lambda folder, log, chosen=chosen: run_local(arguments, chosen, folder, log),
                "node": lambda folder, log, chosen=chosen: run_node(arguments, chosen, folder, log)}
        if gpu_count(arguments) > 1 and len(chosen) > 1:
            runs["node, 2 GPUs"] = lambda folder, log, chosen=chosen: run_node(arguments, chosen, folder, log, "0,1")
        times = measure(arguments, runs, title)
        table(f"{title} of {arguments.budget} evaluations, {arguments.rounds} rounds", times, "node", "tune", "; at most 1.02 is wanted")
        if "node, 2 GPUs" in times:
            ratios = [one.whole / two.whole for one, two in zip(times["node"], times["node, 2 GPUs"])]
            print(f"  1 GPU / 2 GPUs median {statistics.median(ratios):7.3f} ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)
    empty = {"tune": lambda folder, log: run_local(arguments, tasks[:1], folder, log, 1, 0), "node": lambda folder, log: run_node(arguments, [], folder, log)}
    table("start and end of a process", measure(arguments, empty, "start and end"), "node", "tune", "")


if __name__ == "__main__":
    sys.exit(main())
