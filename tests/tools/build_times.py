#!/usr/bin/env python3
"""build_times.py BUILD_FOLDER...: prints how the time of a build and of its tests is spent, in seconds. Times of jobs that
ran at the same time are added."""

import argparse
import collections
import pathlib
import re


def built(folder):
    """Seconds by target, and by object, of a build's last run of each."""
    log = folder / ".ninja_log"
    last = {}
    for line in log.read_text().splitlines()[1:] if log.is_file() else []:
        start, end, _, output, command = line.split("\t")
        last[output] = (command, int(start), int(end))
    # A job with several outputs has a line for each. It is named after the shortest of them.
    names = {}
    for output, job in last.items():
        names[job] = min(names.get(job, output), output, key=len)
    objects = collections.Counter({name: (end - start) / 1000 for (_, start, end), name in names.items()})
    targets = collections.Counter()
    for name, seconds in objects.items():
        found = re.search(r"CMakeFiles/(\w+)\.dir/", name)
        targets[found.group(1) if found else "links, copies, lists of tests"] += seconds
    return targets, objects


def tested(folder):
    """Seconds of each test that ran."""
    data, times = folder / "Testing" / "Temporary" / "CTestCostData.txt", collections.Counter()
    for line in data.read_text().splitlines() if data.is_file() else []:
        if line == "---":
            break
        name, _, seconds = line.rsplit(" ", 2)
        times[name] = float(seconds)
    return times


def table(title, times, count):
    if times:
        print(f"{sum(times.values()):8.1f} s  {title}")
        for name, seconds in times.most_common(count):
            print(f"  {seconds:8.1f} s  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=8, help="rows of each table")
    options = parser.parse_args()
    for folder in options.folders:
        targets, objects = built(folder)
        table(f"{folder}: building, by target", targets, options.count)
        table(f"{folder}: building, by file", objects, options.count)
        table(f"{folder}: tests", tested(folder), options.count)


if __name__ == "__main__":
    main()
