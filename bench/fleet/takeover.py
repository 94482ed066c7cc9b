#!/usr/bin/env python3
"""How long after its node has died does a task start on another node?

Usage: bench/fleet/takeover.py WARPTUNE RECORDING... [--tasks 8] [--rounds 2] [--store ADDRESS]

As many nodes as tasks replay RECORDING so slowly that no task ends. As many others wait for tasks. Then the first nodes disappear
one by one at random moments within 15 s: half of them are killed (SIGKILL), and half are stopped (SIGSTOP), as if their machine
hung. The time of a task is from that moment until another node says that it begins the task. Leases are the real ones of 60 s.
Nodes without a task ask for one every 2 s, which is the default. Without --store, each round has a spool in a temporary folder."""

import argparse
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import time

import replaying_nodes

LIMIT_S = 300


def started_elsewhere(nodes, task):
    return [moment for node in nodes for moment, begun in node.began if begun == task]


def wait_until(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"not within {LIMIT_S} s: {what}")
        time.sleep(0.1)


def lose_nodes(arguments, address, recordings, folder):
    """Pairs of the signal and the seconds until the task started elsewhere."""
    options = ["--pace", "1000"]
    nodes = []

    def start(count):
        started = [replaying_nodes.Node(arguments.warptune, address, recordings, folder / f"state-{len(nodes) + i}", options) for i in range(count)]
        nodes.extend(started)
        return started

    try:
        first = start(arguments.tasks)
        wait_until(lambda: all(node.began for node in first), "all tasks begin")
        others = start(arguments.tasks)
        time.sleep(15)  # A heartbeat of each.
        lost = []
        for turn, (moment, node) in enumerate(sorted((random.uniform(0, 15), i) for i in range(arguments.tasks))):
            time.sleep(max(0.0, moment - (lost[-1][3] if lost else 0.0)))
            kind = signal.SIGKILL if turn % 2 == 0 else signal.SIGSTOP
            first[node].process.send_signal(kind)
            lost.append((kind, time.monotonic(), first[node].began[0][1], moment))
        wait_until(lambda: all(started_elsewhere(others, task) for _, _, task, _ in lost), "all tasks start elsewhere")
        return [(kind, min(started_elsewhere(others, task)) - moment) for kind, moment, task, _ in lost]
    finally:
        for node in nodes:
            node.process.kill()
            node.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("recordings", nargs="+", type=pathlib.Path, metavar="RECORDING")
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--store")
    arguments = parser.parse_args()
    arguments.warptune = arguments.warptune.resolve()
    times = {signal.SIGKILL: [], signal.SIGSTOP: []}
    for turn in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            recordings, kernel = replaying_nodes.link_recordings(arguments.recordings, folder / "recordings")
            address = arguments.store or f"spool:{folder / 'spool'}"
            name = f"takeover-{int(time.time())}-{turn}"
            replaying_nodes.add_campaign(arguments.warptune, address, folder, name, kernel, arguments.tasks, 60)
            for kind, seconds in lose_nodes(arguments, address, recordings, folder):
                times[kind].append(seconds)
            # The nodes of a later round get no task of this one.
            subprocess.run([str(arguments.warptune), "campaign", "cancel", name, "--store", address], check=True, stdout=subprocess.DEVNULL)
        print(f"round {turn + 1}: load average {os.getloadavg()[0]:.1f}", flush=True)
    for kind, seconds in times.items():
        print(f"{kind.name}: median {statistics.median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}) of {len(seconds)}")


if __name__ == "__main__":
    main()
