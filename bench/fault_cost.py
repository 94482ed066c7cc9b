#!/usr/bin/env python3
"""Measures what a configuration that hangs, traps or fails an assertion costs its session, in seconds.

    bench/fault_cost.py [--rounds N] PROGRAM

Tunes every configuration of tests/tuner/data/faults.cu without faults. Then it tunes the same with FAULTY additional
configurations that fail in one way, for each way in turn. Prints for each way the seconds that one faulty configuration adds:
the median with the lowest and the highest value of the rounds. Two of the ways hang after the evaluation: one in the final
rounds, one in the confirmation. For these, the correct configurations are slower, so that the faulty ones become finalists and
are confirmed first. Each session begins with an empty database. The compiled code
is kept, so that the difference is only the fault. Needs a GPU.
"""

import argparse
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "tests/tuner/data/faults.cu"
WAYS = {"hang": 4, "trap": 5, "failed assertion": 10, "hang in the finals": 20, "hang in its confirmation": 21}
# In the final rounds the outputs are poisoned before each launch, in an evaluation only before some. The confirmation launches the
# loaded code up to 300 times, more often than an evaluation does.
LATE = """\
#elif FAULT == 0
  __nanosleep(20000);
#elif FAULT == 20
  if (i == 0) {
    late = out[0] != out[0] ? late + 1 : 0;
    while (late >= 6 && *reinterpret_cast<const volatile float*>(in) != 12345.0f) {
    }
  }
#elif FAULT == 21
  if (i == 0) {
    ++late;
    while (late >= 250 && *reinterpret_cast<const volatile float*>(in) != 12345.0f) {
    }
  }
"""
FAULTY = 4


def definition(folder, fault):
    """The kernel with eight correct configurations, and FAULTY ones with `fault` if it is not 0."""
    text = re.sub(r"FAULT = \[.*\]", f"FAULT = {[0, fault] if fault else [0]}\nTURN = [0, 1, 2, 3]", SOURCE.read_text(), count=1)
    text = text.replace("FAULT = 0\nBLOCK = 256", "FAULT = 0\nTURN = 0\nBLOCK = 256")
    text = text.replace("[default]", '[constraints]\nlist = ["FAULT == 0 || BLOCK == 128"]\n\n[default]')
    if fault >= 20:
        text = text.replace("#elif FAULT == 5", LATE + "#elif FAULT == 5")
        text = text.replace('extern "C" __global__', '__device__ unsigned late;\nextern "C" __global__')
    path = folder / f"faults_{fault}.cu"
    path.write_text(text)
    return path


def session(program, path, folder):
    database = folder / "rows.db"
    for file in folder.glob("rows.db*"):
        file.unlink()
    environment = os.environ | {"HOME": str(folder)}
    start = time.time()
    done = subprocess.run([program, "tune", str(path), "--budget", "all", "--strategy", "exhaustive", "--db", str(database)],
                          env=environment, capture_output=True, text=True)
    seconds = time.time() - start
    if done.returncode != 0:
        raise SystemExit(f"{path}: exit {done.returncode}\n{done.stderr}")
    with sqlite3.connect(database) as connection:
        statuses = dict(connection.execute("SELECT status, count(*) FROM measurement GROUP BY status"))
    return seconds, statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ.pop("XDG_DATA_HOME", None)
    os.environ.pop("XDG_CACHE_HOME", None)
    with tempfile.TemporaryDirectory(prefix="warptune-faults-") as name:
        folder = pathlib.Path(name)
        paths = {way: definition(folder, fault) for way, fault in {"none": 0, **WAYS}.items()}
        costs = {way: [] for way in WAYS}
        statuses = {}
        for path in paths.values():
            session(options.program, path, folder)  # Compiles.
        for _ in range(options.rounds):
            without, _ = session(options.program, paths["none"], folder)
            for way in WAYS:
                seconds, statuses[way] = session(options.program, paths[way], folder)
                costs[way].append((seconds - without) / FAULTY)
        print(f"seconds that one adds to its session, median of {options.rounds} (lowest to highest)")
        for way, values in costs.items():
            print(f"  {way:25} {statistics.median(values):5.2f} ({min(values):.2f} to {max(values):.2f})  {statuses[way]}")


if __name__ == "__main__":
    main()
