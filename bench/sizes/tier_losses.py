#!/usr/bin/env python3
"""How much the best configuration of one GPU loses on another GPU, for each tier of a look-up, and how much the default loses.

    bench/sizes/tier_losses.py PROGRAM RECORDING...

Reads recordings of warptune, Kernel Tuner and KTT with `warptune report --format csv`. Two recordings are compared if they have the
same kernel, problem and parameters, and different GPUs. The loss of a pair is the time of the winner of the first GPU on the second
one, over that of the second one's own winner, minus 1. The loss of a default is its time over that of the winner of its recording,
minus 1. Only warptune's recordings name a default. Needs no GPU.
"""

import argparse
import csv
import io
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Columns of the table that are not parameters. Those after the parameters begin with `status`.
WORKLOAD = ("kernel", "problem", "gpu", "cache")
# Compute capabilities (https://developer.nvidia.com/cuda-gpus). A GPU that is not listed has none.
CAPABILITY = {"A100": (8, 0), "A4000": (8, 6), "RTX 3090": (8, 6), "RTX 2080 Ti": (7, 5), "H200": (9, 0), "H100": (9, 0)}


def capability(gpu):
    return next((known for name, known in CAPABILITY.items() if name in gpu), None)


def tier_of(first, second):
    """The tier at which the winner of one GPU answers for another one. A GPU of another vendor counts as any other one."""
    one, other = capability(first), capability(second)
    if one is None or other is None or one[0] != other[0]:
        return "portable"
    return "same_cc" if one == other else "same_major"


class Recording:
    def __init__(self, table, default=None):
        rows = list(csv.reader(io.StringIO(table)))
        head = rows[0]
        end = head.index("status")
        self.names = head[len(WORKLOAD):end]
        first = dict(zip(head, rows[1]))
        self.kernel, self.gpu = first["kernel"], first["gpu"]
        self.workload = tuple(first[name] for name in WORKLOAD if name != "gpu")
        self.times = {}
        for row in rows[1:]:
            one = dict(zip(head, row))
            if one["status"] == "measured":
                self.times[tuple(row[len(WORKLOAD):end])] = float(one["time_ns"])
        self.best = min(self.times, key=self.times.get)
        self.default = default and tuple(str(default[name]).lower() if isinstance(default[name], bool) else str(default[name])
                                         for name in self.names)

    def fits(self, other):
        return (self.names, self.workload) == (other.names, other.workload) and self.gpu != other.gpu

    def loss_of(self, configuration):
        """None if the configuration was not measured here, or failed."""
        time = self.times.get(configuration)
        return None if time is None else time / self.times[self.best] - 1


def read(program, path):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "rows.csv"
        done = subprocess.run([program, "report", path, "--format", "csv", "-o", table], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{path}: {done.stderr}")
        rows = table.read_text()
    default = None
    if path.suffix == ".zst":
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        default = json.loads(text.split(b"\n", 1)[0])["default"]
    return Recording(rows, default)


def per_cent(loss):
    return "cannot run or was not measured" if loss is None else f"{100 * loss:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("recordings", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    recordings = [read(arguments.program, path) for path in arguments.recordings]
    losses = {}
    for first, second in itertools.permutations(recordings, 2):
        if not first.fits(second):
            continue
        tier, loss = tier_of(first.gpu, second.gpu), second.loss_of(first.best)
        losses.setdefault(tier, []).append(loss)
        print(f"{tier}: {first.kernel}, {first.gpu} -> {second.gpu}: {per_cent(loss)}")
    for one in recordings:
        if one.default:
            loss = one.loss_of(one.default)
            losses.setdefault("default", []).append(loss)
            print(f"default: {one.kernel}, {one.gpu}: {per_cent(loss)}")
    print("\n| tier | pairs | cannot answer | median loss | largest loss |\n|---|---|---|---|---|")
    for tier, found in losses.items():
        known = [loss for loss in found if loss is not None]
        middle, largest = (per_cent(statistics.median(known)), per_cent(max(known))) if known else ("-", "-")
        print(f"| `{tier}` | {len(found)} | {len(found) - len(known)} | {middle} | {largest} |")


if __name__ == "__main__":
    main()
