#!/usr/bin/env python3
"""Do configurations that NVRTC compiles with less optimisation rank as fully optimised ones?

Usage: bench/compiling/fast_compile_ranking.py WARPTUNE KERNELS OUT [--level mid] [--budget 130] [--kernel NAME ...]

KERNELS is the folder of shipped definitions (share/warptune/kernels). Copies of the kernels get the flag --Ofast-compile=LEVEL.
Each kernel is measured in both forms, with the same random configurations, without counters and without dropping any. Prints for each kernel:

* the correlation of ranks (Spearman);
* the time of the quickly compiled code over that of the other (5th, 50th and 95th percentile);
* what is lost if only the best 1, 3 and 10 of the quickly compiled ones are compiled fully;
* the median compile times.

Needs a GPU.
OUT receives the databases and what `tune` prints."""

import argparse
import contextlib
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys

KERNELS = ("sgemm", "gemm_tc", "softmax", "transpose", "reduction")


def copy_with_flag(kernels, folder, names, level):
    shutil.copytree(kernels, folder, dirs_exist_ok=True)
    for name in names:
        source = folder / f"{name}.cu"
        text = source.read_text(encoding="utf-8")
        if "\n[kernel]\n" not in text:
            raise SystemExit(f"{source}: no [kernel]")
        source.write_text(text.replace("\n[kernel]\n", f'\n[kernel]\nflags = ["--Ofast-compile={level}"]\n', 1), encoding="utf-8")


def measure(arguments, definition, database):
    command = [str(arguments.warptune), "tune", str(definition), "--strategy", "random", "--seed", "5", "--budget", str(arguments.budget),
               "--metrics", "none", "--thorough", "--no-transfer", "--measure", "--compile-cache", "none", "--db", str(database)]
    with open(database.with_suffix(".txt"), "w", encoding="utf-8") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=True)
    query = """SELECT configuration.key, measurement.median_ns, measurement.compile_ms FROM measurement
               JOIN configuration ON configuration.id = measurement.configuration_id WHERE status = 'measured'"""
    with contextlib.closing(sqlite3.connect(database)) as opened:
        return {key: (time, compile_ms) for key, time, compile_ms in opened.execute(query)}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0] * len(values)
    for place, index in enumerate(order):
        places[index] = place
    return places


def report(name, full, fast):
    keys = sorted(set(full) & set(fast), key=lambda key: full[key][0])
    if len(keys) < 20:
        return f"{name}: only {len(keys)} configurations were measured in both forms"
    ratios = sorted(fast[key][0] / full[key][0] for key in keys)
    percentiles = " ".join(f"{ratios[int(share * (len(ratios) - 1))]:.2f}" for share in (0.05, 0.5, 0.95))
    by_fast = sorted(keys, key=lambda key: fast[key][0])
    losses = " ".join(f"{min(full[key][0] for key in by_fast[:count]) / full[keys[0]][0]:.3f}" for count in (1, 3, 10))
    correlation = statistics.correlation(ranks([full[key][0] for key in keys]), ranks([fast[key][0] for key in keys]))
    best = keys[:20]
    of_best = statistics.correlation(ranks([full[key][0] for key in best]), ranks([fast[key][0] for key in best]))
    compile_ms = " and ".join(f"{statistics.median(rows[key][1] for key in keys):.0f}" for rows in (full, fast))
    return (f"{name}: {len(keys)} configurations; correlation of ranks {correlation:.2f}, among the best 20 {of_best:.2f}; "
            f"time over the full one's {percentiles}; best of 1, 3, 10 over the best {losses}; compile ms {compile_ms}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("kernels", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--level", default="mid", choices=("min", "mid", "max"))
    parser.add_argument("--budget", type=int, default=130)
    parser.add_argument("--kernel", action="append")
    arguments = parser.parse_args()
    arguments.warptune = arguments.warptune.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = arguments.kernel or KERNELS
    folder = arguments.out / f"kernels-{arguments.level}"
    copy_with_flag(arguments.kernels, folder, names, arguments.level)
    for name in names:
        full = measure(arguments, arguments.kernels / f"{name}.cu", arguments.out / f"{name}.db")
        fast = measure(arguments, folder / f"{name}.cu", arguments.out / f"{name}-{arguments.level}.db")
        print(report(name, full, fast), flush=True)


if __name__ == "__main__":
    sys.exit(main())
