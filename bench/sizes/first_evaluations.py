#!/usr/bin/env python3
"""After how many evaluations a session of a new size is within 5 % of the best, for several orders of what it begins with.

    bench/sizes/first_evaluations.py [--gpu GPU] PROGRAM DATABASE...

The databases are those of near_winners.py. A trial takes a size and five others that are known (all, if there are fewer). The first
table has the share of trials within 5 % of the best known time of their size after eight evaluations, with known configurations only.
A configuration without a time at the size costs an evaluation and gives nothing. The second table has sessions that try the first few
of the order `as built`, and then single changes of the best so far. They are drawn from the configurations that were measured at the
size. The search of that size has chosen these, so they are better than single changes usually are. Therefore `any` draws from all of
these configurations instead: what single changes gain beyond it is the most that can be said for them. Needs no GPU.
"""

import functools
import json
import random
import sqlite3
import statistics

from near_winners import TRIALS, ratio, read_arguments, read_times, recommended

CLOSE = 1.05
FIRST = 8
KNOWN = 5
REPEATS = 5  # Sessions with random draws, for each trial.


class Kernel:
    def __init__(self, program, database, gpu):
        self.name, self.times = read_times(database)
        self.recommended = {problem: recommended(program, self.name, problem, gpu) for problem in self.times}
        self.default, self.own = {}, {}
        with sqlite3.connect(database) as connection:
            rows = connection.execute("SELECT w.problem, s.default_configuration, s.strategy, c.body, m.median_ns FROM measurement m "
                                      "JOIN configuration c ON c.id = m.configuration_id JOIN session s ON s.id = m.session_id "
                                      "JOIN workload w ON w.id = s.workload_id WHERE m.status = 'measured' ORDER BY m.id").fetchall()
        for problem, default, strategy, configuration, median_ns in rows:
            self.default[problem] = default
            if strategy != "matrix":  # The rows of the size's own search: the others come from searches of other sizes.
                self.own.setdefault(problem, {})[configuration] = median_ns

    def is_close(self, problem, configuration):
        return self.times[problem].get(configuration, float("inf")) <= CLOSE * min(self.times[problem].values())

    def fastest(self, problem, count):
        """The fastest configurations of the size's own search."""
        return sorted(self.own[problem], key=self.own[problem].get)[:count]


def distinct(configurations):
    return [one for one in dict.fromkeys(configurations) if one is not None]


def nearest(asked, known):
    return sorted(known, key=lambda one: ratio(asked, one))


def as_built(kernel, asked, known):
    winners = [kernel.fastest(one, 1)[0] for one in nearest(asked, known)]
    return distinct([kernel.default[asked], kernel.recommended[asked], *winners])


def without_default(kernel, asked, known):
    return [one for one in as_built(kernel, asked, known) if one != kernel.default[asked]]


def and_recommended(kernel, asked, known):
    """In addition, what is recommended for other sizes."""
    return distinct(as_built(kernel, asked, known) + [kernel.recommended[one] for one in nearest(asked, kernel.times)])


def recommended_first(kernel, asked, known):
    recommended_ones = [kernel.recommended[one] for one in nearest(asked, kernel.times)]
    return distinct([kernel.default[asked], *recommended_ones] + as_built(kernel, asked, known))


def and_seconds(kernel, asked, known):
    """In addition, the second best of each known size."""
    return distinct(as_built(kernel, asked, known) + [second for one in nearest(asked, known) for second in kernel.fastest(one, 2)[1:]])


def by_gain(kernel, asked, known):
    """After what is recommended, the known winner that adds most: it is within 5 % at the most known sizes that no earlier one is."""
    begin = distinct([kernel.default[asked], kernel.recommended[asked]])
    left = distinct(kernel.fastest(one, 1)[0] for one in nearest(asked, known))
    open_sizes = {size for size in known if not any(kernel.is_close(size, one) for one in begin)}
    while left:
        chosen = max(left, key=lambda one: sum(1 / ratio(asked, size) for size in open_sizes if kernel.is_close(size, one)))
        open_sizes -= {size for size in open_sizes if kernel.is_close(size, chosen)}
        left.remove(chosen)
        begin.append(chosen)
    return distinct(begin)


ORDERS = {"as built": as_built, "without the default": without_default, "and recommended": and_recommended,
          "recommended first": recommended_first, "and second best": and_seconds, "by what they add": by_gain}


def trials(times):
    draw = random.Random(1)
    for asked in times:
        others = [problem for problem in times if problem != asked]
        for _ in range(TRIALS):
            yield asked, draw.sample(others, min(KNOWN, len(others)))


@functools.cache
def values_of(configuration):
    return json.loads(configuration)


def change_count(one, other):
    values = values_of(other)
    return sum(value != values.get(name) for name, value in values_of(one).items())


def draws(kernel, asked, begin, only_changes, draw):
    """Whether a session is close that tries `begin`, and then draws."""
    times = kernel.times[asked]
    tried = [one for one in begin if one in times]
    while len(tried) < FIRST:
        left = [one for one in times if one not in tried]
        best = min(tried, key=times.get, default=None)
        changed = [one for one in left if best is not None and change_count(one, best) == 1] if only_changes else []
        if not left:
            break
        tried.append(draw.choice(changed or left))
    return any(kernel.is_close(asked, one) for one in tried)


def print_table(kernels, rows):
    """`rows` has a function of a kernel and a trial for each name: the share of sessions that are close."""
    sizes = sum(len(kernel.times) for kernel in kernels)
    print(f"{'':28}" + "".join(f"{kernel.name:>11}" for kernel in kernels) + f"{'of ' + str(sizes):>9}")
    for name, share in rows.items():
        means = [statistics.mean(share(kernel, *trial) for trial in trials(kernel.times)) for kernel in kernels]
        total = sum(mean * len(kernel.times) for mean, kernel in zip(means, kernels, strict=True))
        print(f"{name:28}" + "".join(f"{mean:11.2f}" for mean in means) + f"{total:9.1f}", flush=True)
    print()


def drawing(count, only_changes):
    draw = random.Random(2)

    def share(kernel, asked, known):
        begin = as_built(kernel, asked, known)[:count]
        return statistics.mean(draws(kernel, asked, begin, only_changes, draw) for _ in range(REPEATS))
    return share


def main():
    given = read_arguments(__doc__)
    kernels = [Kernel(given.program, database, given.gpu) for database in given.databases]
    print_table(kernels, {name: lambda kernel, asked, known, order=order: any(
        kernel.is_close(asked, one) for one in order(kernel, asked, known)[:FIRST]) for name, order in ORDERS.items()})
    print_table(kernels, {f"{count}, then {'single changes' if only_changes else 'any'}": drawing(count, only_changes)
                          for count in (2, 4, 7) for only_changes in (True, False)})


if __name__ == "__main__":
    main()
