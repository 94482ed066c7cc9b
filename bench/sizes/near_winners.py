#!/usr/bin/env python3
"""How near a size must be for its winner to answer in place of what the definition recommends.

    bench/sizes/near_winners.py [--gpu GPU] PROGRAM DATABASE...

Each DATABASE has one kernel and comes from bench_size_matrix: the winners of all sizes are measured at every size. Each trial takes a
size and one to five others that are known, at random. The winner of the nearest known size answers if the same configuration is
recommended for both sizes, and if their ratio is at most that of the first column. Otherwise what is recommended for the size answers.
The other columns say how much slower the answers are than the best known configuration of their
sizes: the geometric mean and the worst case. A dropped configuration counts with its estimated time. Needs no GPU.
"""

import argparse
import json
import math
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile

RATIOS = (1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 64.0, math.inf)
TRIALS = 40  # For each size.


def read_times(database):
    """The problems, and for each one the time of every configuration that was measured or dropped, as texts of JSON."""
    with sqlite3.connect(database) as connection:
        kernel, = connection.execute("SELECT name FROM kernel").fetchone()
        rows = connection.execute("SELECT w.problem, c.body, coalesce(min(iif(m.status = 'measured', m.median_ns, NULL)), "
                                  "min(m.median_ns)) FROM measurement m JOIN configuration c ON c.id = m.configuration_id "
                                  "JOIN workload w ON w.id = c.workload_id WHERE m.status IN ('measured', 'dropped') AND m.median_ns > 0 "
                                  "GROUP BY c.id").fetchall()
    times = {}
    for problem, configuration, median_ns in rows:
        times.setdefault(problem, {})[configuration] = median_ns
    return kernel, times


def recommended(program, kernel, problem, gpu):
    """What is recommended for a problem, as a database has it. None if nothing is."""
    sizes = [word for name, value in json.loads(problem).items() for word in ("--size", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as home:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")} | {"HOME": home}
        done = subprocess.run([program, "query", kernel, "--gpu", gpu, "--format", "json", *sizes], env=environment,
                              capture_output=True, text=True)
    answer = json.loads(done.stdout) if done.returncode == 0 else {}
    is_recommended = answer.get("match") == "recommended"
    return json.dumps(answer["configuration"], separators=(",", ":")) if is_recommended else None


def ratio(one, other):
    """The product of larger size / smaller size over the sizes of two problems."""
    product = 1.0
    for name, value in json.loads(one).items():
        stored = json.loads(other)[name]
        if value != stored:
            product *= max(value, stored) / min(value, stored)
    return product


def trials(times):
    """Each size, with one to five others that are known."""
    draw = random.Random(1)
    for asked in times:
        others = [problem for problem in times if problem != asked]
        for _ in range(TRIALS):
            yield asked, draw.sample(others, draw.randint(1, min(5, len(others))))


def winner_of(times, problem):
    return min(times[problem], key=times[problem].get)


def by_distance(times, asked, known):
    """The known sizes whose winners can run at the asked size, nearest first. A configuration without a time cannot run."""
    return sorted((one for one in known if winner_of(times, one) in times[asked]), key=lambda one: ratio(asked, one))


def losses(times, choices, limit):
    found = []
    for asked, known in trials(times):
        able = by_distance(times, asked, known)
        wanted = times[asked].get(choices[asked])
        is_near = able and ratio(asked, able[0]) <= limit and choices[able[0]] == choices[asked]
        answer = times[asked][winner_of(times, able[0])] if able and (is_near or not wanted) else wanted
        if answer:
            found.append(answer / min(times[asked].values()))
    return found


def read_arguments(description):
    """The program, the databases and the GPU that the command line names."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", default="cc=90,sms=132", help="as for `query`: with bandwidth=4917 for rows of an H200")
    parser.add_argument("program")
    parser.add_argument("databases", nargs="+")
    return parser.parse_args()


def main():
    given = read_arguments(__doc__)
    kernels = {}
    for database in given.databases:
        kernel, times = read_times(database)
        kernels[kernel] = times, {problem: recommended(given.program, kernel, problem, given.gpu) for problem in times}
    print("ratio     " + "".join(f"{kernel:>14}" for kernel in kernels) + "           all")
    for limit in RATIOS:
        cells, means = [], []
        for times, choices in kernels.values():
            found = losses(times, choices, limit)
            means.append(statistics.geometric_mean(found))
            cells.append(f"{means[-1]:.3f}, {max(found):.2f}")
        print(f"{limit:<10g}" + "".join(f"{cell:>14}" for cell in cells) + f"{statistics.geometric_mean(means):14.3f}")


if __name__ == "__main__":
    main()
