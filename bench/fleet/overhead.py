#!/usr/bin/env python3
"""How much longer does a node take than local `warptune tune` sessions of the same tasks? Needs a GPU.

Usage: bench/fleet/overhead.py WARPTUNE OUT [--rounds 3] [--budget 60]

Each round runs the tasks once with `warptune tune`, one after the other in one database, and once with `warptune node` and a
spool. The order alternates. Both start with an empty compile cache and without known roofs. A task is measured until its number
of evaluations is reached, so both do the same work. With two GPUs, a node with both follows. OUT receives what the programs
print. The table comes last."""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

TASKS = [("transpose", {"M": 4096, "N": 4096}), ("transpose", {"M": 8192, "N": 2048}), ("softmax", {}), ("rmsnorm", {})]


def timed(command, log, environment=None):
    start = time.monotonic()
    with open(log, "a", encoding="utf-8") as stream:
        code = subprocess.run(command, stdout=stream, stderr=stream, env=environment, check=False).returncode
    if code != 0:
        raise SystemExit(f"{' '.join(command)} ended with {code}; see {log}")
    return time.monotonic() - start


def campaign_text(budget):
    lines = [f'name = "overhead"\n[defaults]\nbudget = {budget}\n']
    for kernel, sizes in TASKS:
        lines.append(f'[[tune]]\nkernel = "{kernel}"\n')
        if sizes:
            lines.append(f"sizes = {{ {', '.join(f'{name} = {size}' for name, size in sizes.items())} }}\n")
    return "".join(lines)


def run_local(arguments, folder, log):
    total = 0.0
    for kernel, sizes in TASKS:
        command = [str(arguments.warptune), "tune", kernel, "--budget", str(arguments.budget), "--db", str(folder / "local.db"),
                   "--no-transfer", "--measure", "--compile-cache", str(folder / "cache")]
        for name, size in sizes.items():
            command += ["--size", f"{name}={size}"]
        total += timed(command, log)
    return total


def run_node(arguments, folder, log, devices):
    address = f"spool:{folder / 'spool'}"
    (folder / "campaign.toml").write_text(campaign_text(arguments.budget))
    timed([str(arguments.warptune), "campaign", "init", "--store", address], log)
    timed([str(arguments.warptune), "campaign", "add", str(folder / "campaign.toml"), "--store", address], log)
    return timed([str(arguments.warptune), "node", "--store", address, "--device", devices, "--until-done", "--poll-every", "0.5",
                  "--state", str(folder / "state"), "--compile-cache", str(folder / "cache")], log)


def gpu_count(arguments):
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False)
    return len(listed.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=60)
    arguments = parser.parse_args()
    arguments.warptune = arguments.warptune.resolve()
    runs = {"tune": lambda folder, log: run_local(arguments, folder, log), "node": lambda folder, log: run_node(arguments, folder, log, "0")}
    if gpu_count(arguments) > 1:
        runs["node, 2 GPUs"] = lambda folder, log: run_node(arguments, folder, log, "0,1")
    times = {name: [] for name in runs}
    for turn in range(arguments.rounds):
        for name in list(runs) if turn % 2 == 0 else reversed(list(runs)):
            with tempfile.TemporaryDirectory() as folder:
                times[name].append(runs[name](pathlib.Path(folder), arguments.out / f"{name.replace(', ', '-').replace(' ', '-')}.txt"))
            print(f"round {turn + 1}, {name}: {times[name][-1]:.2f} s", flush=True)
    print(f"{len(TASKS)} tasks of {arguments.budget} evaluations, {arguments.rounds} rounds")
    for name, seconds in times.items():
        print(f"  {name:14} median {statistics.median(seconds):7.2f} s ({min(seconds):.2f} to {max(seconds):.2f})")
    ratios = [node / tune for node, tune in zip(times["node"], times["tune"])]
    print(f"  node / tune    median {statistics.median(ratios):7.3f}   ({min(ratios):.3f} to {max(ratios):.3f}); at most 1.02 is wanted")
    if "node, 2 GPUs" in times:
        ratios = [one / two for one, two in zip(times["node"], times["node, 2 GPUs"])]
        print(f"  1 GPU / 2 GPUs median {statistics.median(ratios):7.3f}   ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
