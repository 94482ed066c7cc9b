#!/usr/bin/env python3
"""Measures what `import warptune` costs a process, without a GPU.

    bench/python/import_time.py [--rounds N]

Each round starts two interpreters in turn: one that imports nothing, and one that imports warptune. The files are in the page cache
after the first round, which does not count. Prints the median of the rounds' differences with the quartiles, in wall time and in CPU
time. The last line names the modules from outside Python's standard library that the import loads.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time

FOREIGN = "import sys, warptune; print(*sorted({name.split('.')[0] for name in sys.modules} - {*sys.stdlib_module_names}))"


def cost_of(code):
    """Wall time and CPU time of an interpreter that runs this code, in milliseconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    end, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (end - start) * 1e3, cpu * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41)
    arguments = parser.parse_args()
    differences = []
    for _ in range(arguments.rounds + 1):
        alone, imported = cost_of("pass"), cost_of("import warptune")
        differences.append([imported[part] - alone[part] for part in range(2)])
    for name, values in zip(("wall time", "CPU time"), zip(*differences[1:], strict=True), strict=True):
        low, median, high = statistics.quantiles(values, n=4)
        print(f"import warptune, {name:9} {median:6.1f} ms ({low:.1f} to {high:.1f})")
    foreign = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True, check=True).stdout.strip()
    print("modules that are not in Python's standard library:", foreign)


if __name__ == "__main__":
    main()
