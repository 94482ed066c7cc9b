#!/usr/bin/env python3
"""Measures the commands that answer from the database or from a recording: the CPU seconds (user and system) of the program
and its workers, and the wall seconds.

    bench/answers.py [--build build/release] [--repeat 5] [--rows 1000000] [--database FILE] [PROGRAM ...]

`bench_fill_database` fills one database with 1,000 rows of sgemm and one with --rows. --database names an existing large
database to use instead. Each command runs --repeat times with each program. The output is the median with the lowest and the highest value.
Without PROGRAM, the program of the build is measured. Each command runs once before it is measured. That first run migrates
an older database, and fills the compile cache with the remedies that `explain` compiles. The first run of `explain` is
printed, too. The last command compiles the remedies in each run. Needs no GPU. On a machine with one, `query` is timed with it.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

RECORDING = "recordings/sgemm-h200.wtrec.zst"
OBJECTIVE = "time * dram__bytes.sum"  # Like an energy, it needs a counter that a tenth of the measured rows has.
COMMANDS = {
    "query": ["query", "sgemm"],
    "query --objective": ["query", "sgemm", "--objective", OBJECTIVE],
    "Pareto front": ["query", "sgemm", "--objective", "time,dram__bytes.sum"],
    "export": ["export", "sgemm"],
    "show": ["show", "1"],
    "list": ["list"],
    "explain": ["explain", "sgemm", "--no-measure"],
    "report": ["report", "sgemm"],
}


def run_once(program, command, environment):
    """CPU and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([program, *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def spread(values):
    return f"{statistics.median(values):7.3f} ({min(values):.3f} to {max(values):.3f})"


def print_times(title, program, command, repeat, environment):
    first = run_once(program, command, environment)
    times = [run_once(program, command, environment) for _ in range(repeat)]
    cpu, wall = ([pair[i] for pair in times] for i in (0, 1))
    note = f"  first run {first[0]:.2f} s CPU" if command[0] == "explain" else ""
    print(f"  {title:<32} CPU {spread(cpu):<28} wall {spread(wall):<28}{note}", flush=True)


def print_uncompiled(title, program, command, repeat, environment):
    """Each run begins with an empty compile cache."""
    times = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="warptune-cache-") as cache:
            times.append(run_once(program, command, environment | {"XDG_CACHE_HOME": cache}))
    cpu, wall = ([pair[i] for pair in times] for i in (0, 1))
    print(f"  {title:<32} CPU {spread(cpu):<28} wall {spread(wall):<28}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--database", type=pathlib.Path)
    options = parser.parse_args()
    fill = options.build / "bench/bench_fill_database"
    print(f"seconds, median of {options.repeat} (lowest to highest)")
    for program in options.programs or [str(options.build / "warptune")]:
        with tempfile.TemporaryDirectory(prefix="warptune-answers-") as home:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | {"HOME": home}
            small, large = (pathlib.Path(home) / name for name in ("small.db", "large.db"))
            subprocess.run([fill, "--file", small, "--rows", "1000"], check=True, env=environment, stdout=subprocess.DEVNULL)
            if options.database:
                shutil.copyfile(options.database, large)
            else:
                subprocess.run([fill, "--file", large, "--rows", str(options.rows)], check=True, env=environment,
                               stdout=subprocess.DEVNULL)
            print(program)
            for name, database in (("1000 rows", small), (f"{options.rows} rows", large)):
                for title, command in COMMANDS.items():
                    print_times(f"{title}, {name}", program, [*command, "--db", str(database)], options.repeat, environment)
            print_times("explain, recording", program, ["explain", RECORDING], options.repeat, environment)
            print_uncompiled("explain, empty cache", program, ["explain", RECORDING], options.repeat, environment)


if __name__ == "__main__":
    main()
