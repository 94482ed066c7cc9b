#!/usr/bin/env python3
"""Fits costs of configurations by a model of all measured times, and prints them as [[recommended]] tables of the definition.

    scripts/setup costs
    build/costs/bin/python bench/sizes/model_costs.py --blocks EXPRESSION --work EXPRESSION --volume EXPRESSION [--term EXPRESSION ...]
        [--feature EXPRESSION ...] [--valid CONDITION] [--when CONDITION ...] [--count N] [--near RATIO] [--seen N] [--spare N]
        [--measured N] [--validate] DATABASE

fit_costs.py fits costs to measured times alone, so it can only choose among configurations that were measured at many sizes. This one
first learns the time of any configuration at any size from all rows of DATABASE, by gradient-boosted trees of scikit-learn. Then it draws
sizes between the measured ones, and chooses the N configurations that together lose least at them. The cost of each is fitted to
what the model expects. So a cost also holds where the configuration was never measured.

DATABASE has one kernel and comes from bench_size_matrix. The expressions are those of definitions, over sizes and parameters. BLOCKS, WORK
and TERM are those of fit_costs.py, and the cost has the same form. VOLUME is what a block does in one unit of its work. FEATURE is
anything else from which the time may follow, such as registers. VALID says where a configuration is allowed. Each WHEN is a class of sizes
that gets its own N configurations. Only configurations within RATIO of the best of a measured size are considered, and only those that
were timed at --seen sizes of the class or more. Texts among the sizes, such as a type, are left out.

--spare N fits N more costs in each class. Then it leaves out the one without which the choice by the costs loses least, until there are
as many as asked for, and further while that loses less. So a cost that is wrong where another configuration is better goes.
With --measured N, each measured size of the class counts N times among the drawn ones, with the times that were measured.

--validate prints no tables. It leaves out an eighth of the sizes at a time, and does all of the above with the others. Then it says what
the choice loses at those that were left out. Where the chosen configuration was not measured there, a model of all sizes
says its time, and the output counts these. Needs no GPU.
"""

import argparse
import json
import math
import random

from fit_costs import (
    MISSING_LOSS,
    Form,
    best_fit,
    cost_of,
    evaluated,
    gpu_and_default,
    kept_rows,
    least_squares,
    number,
    python_of,
    summary,
    table_of,
)
from near_winners import read_times

FOLDS = 8
SOFT = 0.2  # A configuration with this loss (logarithm) has half the weight of the best one.
LARGEST_ALIGNMENT = 128
MOST_FELT = 1.0  # Counts in place of a larger loss (logarithm) of a choice by costs.


def alignment(value):
    return min(value & -value, LARGEST_ALIGNMENT)


def drawn_sizes(problems, count, seed=1):
    """Problems between two measured ones: each size is a weighted geometric mean of theirs, and a multiple of what one of them is a
    multiple of."""
    draw = random.Random(seed)
    drawn = []
    while len(drawn) < count:
        one, other = draw.choice(problems), draw.choice(problems)
        weight = draw.random()
        size = {}
        for name in one:
            share = min(max(weight + draw.choice((0, 0, draw.uniform(-0.3, 0.3))), 0), 1)
            step = alignment(draw.choice((one, other))[name])
            mean = math.exp(share * math.log(one[name]) + (1 - share) * math.log(other[name]))
            size[name] = max(1, round(mean / step)) * step if step > 1 else max(1, round(mean))
        if len(set(one.values())) == len(set(other.values())) == 1:
            size = dict.fromkeys(size, size[next(iter(size))])
        drawn.append(size)
    return drawn


class Describer:
    """What the model knows of a configuration at a size, as numbers."""

    def __init__(self, form, volume, features, configurations, sm_count):
        self.form, self.sm_count = form, sm_count
        self.volume, self.features = python_of(volume), [python_of(text) for text in features]
        self.texts = {name: sorted({each[name] for each in configurations if isinstance(each.get(name), str)})
                      for name in configurations[0]}

    def parameters(self, configuration):
        for name, texts in self.texts.items():
            value = configuration.get(name)
            if texts:
                yield from (float(value == text) for text in texts)
            else:
                yield -1.0 if value is None else float(value)

    def row(self, configuration, problem):
        """Four terms of whose sum the time is about a multiple, and the numbers that say by how much it differs."""
        values = {**configuration, **problem}
        blocks, work, *terms = (evaluated(code, values) for code in self.form.codes)
        volume = evaluated(self.volume, values)
        further = [float(evaluated(code, values)) for code in self.features]
        per_sm = -(-blocks // self.sm_count)
        steps = per_sm * work
        numbers = [math.log(blocks / self.sm_count), per_sm * self.sm_count / blocks, math.log(work), math.log(volume),
                   math.log(steps * volume)]
        numbers += [math.log(max(term, 1.0)) for term in terms]
        for value in problem.values():
            numbers += [math.log(value), float(alignment(value))]
        return [1.0, float(steps * volume), float(steps), float(work)], [*self.parameters(configuration), *numbers, *further]


class Model:
    """The expected time of any configuration at any size, in us."""

    def __init__(self, describer, rows, best):
        """`rows` are (configuration, problem, us), and `best` has the best time at each one's problem."""
        import numpy
        from sklearn.ensemble import HistGradientBoostingRegressor

        self.describer = describer
        efforts, numbers = zip(*(describer.row(configuration, problem) for configuration, problem, _ in rows), strict=True)
        times = [us for *_, us in rows]
        _, self.base = least_squares([[x / us for x in row] for row, us in zip(efforts, times, strict=True)], [1.0] * len(times))
        goals = [math.log(us / self.base_of(row)) for row, us in zip(efforts, times, strict=True)]
        weights = [min(1.0, least / us) for least, us in zip(best, times, strict=True)]
        numbers = numpy.array(numbers, float)
        self.trees = []
        for seed in range(3):
            tree = HistGradientBoostingRegressor(max_iter=500, learning_rate=0.06, max_leaf_nodes=24, min_samples_leaf=8,
                                                 l2_regularization=1.0, max_features=0.4, random_state=seed, early_stopping=False)
            self.trees.append(tree.fit(numbers, goals, sample_weight=weights))

    def base_of(self, efforts):
        return max(cost_of(efforts, self.base), 1e-3)

    def times(self, configurations, problems, is_valid):
        """A list of times for each configuration, one for each problem. Where a configuration is not valid, its time is None."""
        import numpy

        table = [[None] * len(problems) for _ in configurations]
        places = [(i, j) for i, configuration in enumerate(configurations) for j, problem in enumerate(problems)
                  if is_valid(configuration, problem)]
        if places:
            efforts, numbers = zip(*(self.describer.row(configurations[i], problems[j]) for i, j in places), strict=True)
            numbers = numpy.array(numbers, float)
            logs = numpy.mean([tree.predict(numbers) for tree in self.trees], axis=0)
            for (i, j), effort, log in zip(places, efforts, logs, strict=True):
                table[i][j] = self.base_of(effort) * math.exp(log)
        return table


def is_felt(column, factor, weights):
    """Whether a term of a cost is anywhere more than a thousandth of the time."""
    return any(x * factor > 1e-3 * weight for x, weight in zip(column, weights, strict=True))


class Costs:
    """Configurations and the factors of their costs."""

    def __init__(self, form, sm_count, is_valid):
        self.form, self.sm_count, self.is_valid = form, sm_count, is_valid
        self.fits = []

    def fit(self, configurations, problems, times, count, spare=0):
        """Chooses configurations by their times at the problems, and fits their costs. A time is None where one is not valid. `spare`
        more than `count` are fitted first."""
        best = [min((us for us in column if us is not None), default=None) for column in zip(*times, strict=True)]
        some = [at for at, least in enumerate(best) if least is not None]
        losses = [[None if row[at] is None else math.log(row[at] / best[at]) for at in some] for row in times]
        rows = kept_rows(losses, count + spare)
        for kept in rows:
            valid = [(problems[at], times[kept][at], loss) for at, loss in zip(some, losses[kept], strict=True) if loss is not None]
            self.add(configurations[kept], *map(list, zip(*valid, strict=True)))
        if spare:
            self.thin_out([problems[at] for at in some], [losses[kept] for kept in rows], count)
        return self

    def add(self, configuration, problems, times, losses):
        """Fits the cost of a configuration to its times at the problems. Where it loses much, its time matters less."""
        weights = [math.sqrt(1 / (1 + (loss / SOFT) ** 2) + 0.02) for loss in losses]
        slots, factors, rows = best_fit(lambda slots: [self.form.row(problem, configuration, slots, self.sm_count) for problem in problems],
                                        times, weights)
        self.fits.append((configuration, slots, [float(number(factor)) if is_felt(column, factor, weights) else 0.0
                                                 for column, factor in zip(zip(*rows, strict=True), factors, strict=True)]))

    def thin_out(self, problems, losses, count):
        """Leaves the fit out without which the choices at the problems lose least, until `count` are left and none is better left out."""
        ranked = [[at for _, at in self.by_cost(problem)] for problem in problems]

        def loss_without(left_out):
            total = 0.0
            for place, order in enumerate(ranked):
                at = next((at for at in order if at not in left_out), None)
                loss = MOST_FELT if at is None else min(losses[at][place], MOST_FELT)
                total += loss + loss * loss
            return total

        left_out, least = set(), loss_without(set())
        while len(left_out) + 1 < len(self.fits):
            loss, at = min((loss_without(left_out | {at}), at) for at in range(len(self.fits)) if at not in left_out)
            if len(self.fits) - len(left_out) <= count and loss >= least:
                break
            left_out.add(at)
            least = loss
        self.fits = [fit for at, fit in enumerate(self.fits) if at not in left_out]

    def by_cost(self, problem):
        """The costs of the fits whose configuration is valid, each with its place, the lowest first."""
        return sorted((cost_of(self.form.row(problem, configuration, slots, self.sm_count), factors), at)
                      for at, (configuration, slots, factors) in enumerate(self.fits) if self.is_valid(configuration, problem))

    def choice(self, problem):
        """The configuration with the lowest cost, or None."""
        costs = self.by_cost(problem)
        return self.fits[costs[0][1]][0] if costs else None


class Study:
    """The measured rows and what was asked for."""

    def __init__(self, times, asked, sm_count):
        self.asked, self.sm_count = asked, sm_count
        self.form = Form(asked.blocks, asked.work, asked.term)
        self.problems = [{name: value for name, value in json.loads(problem).items() if not isinstance(value, str)} for problem in times]
        measured = {}
        for at, row in enumerate(times.values()):
            for configuration, ns in row.items():
                measured.setdefault(configuration, {})[at] = ns / 1e3
        self.rows = [(json.loads(text), row) for text, row in measured.items()]  # Each with its times in us, by the place of the problem.
        self.best = [min(row.values()) / 1e3 for row in times.values()]
        self.describer = Describer(self.form, asked.volume, asked.feature, [configuration for configuration, _ in self.rows], sm_count)
        self.valid = python_of(asked.valid)
        self.classes = [python_of(text) for text in asked.when]

    def is_valid(self, configuration, problem):
        values = {**configuration, **problem, "device_sm_count": self.sm_count}
        return bool(evaluated(self.valid, values))

    def in_class(self, one, problem):
        return bool(evaluated(one, {**problem, "device_sm_count": self.sm_count}))

    def model(self, places):
        """A model of the rows at these places of `problems`."""
        wanted = set(places)
        rows = [(configuration, at, us) for configuration, row in self.rows for at, us in row.items() if at in wanted]
        return Model(self.describer, [(configuration, self.problems[at], us) for configuration, at, us in rows],
                     [self.best[at] for _, at, _ in rows])

    def candidates(self, places):
        wanted = set(places)
        return [configuration for configuration, row in self.rows if len(wanted & row.keys()) >= self.asked.seen
                and any(at in wanted and us <= self.asked.near * self.best[at] for at, us in row.items())]

    def costs(self, one, places, model):
        """The costs of a class of sizes."""
        inside = [at for at in places if self.in_class(one, self.problems[at])]
        problems = [self.problems[at] for at in inside]
        drawn = [size for size in drawn_sizes(problems, 4 * self.asked.drawn) if self.in_class(one, size)][:self.asked.drawn]
        candidates = self.candidates(inside)
        times = model.times(candidates, drawn, self.is_valid)
        if self.asked.measured:
            measured = {id(configuration): row for configuration, row in self.rows}
            drawn = drawn + problems * self.asked.measured
            for configuration, row, expected in zip(candidates, times, model.times(candidates, problems, self.is_valid), strict=True):
                row += [measured[id(configuration)].get(at, us) for at, us in zip(inside, expected, strict=True)] * self.asked.measured
        return Costs(self.form, self.sm_count, self.is_valid).fit(candidates, drawn, times, self.asked.count,
                                                                 self.asked.spare)

    def validate(self):
        """The losses at sizes that were left out, and how many of them are measured."""
        everything = range(len(self.problems))
        final = self.model(everything)
        shuffled = list(everything)
        random.Random(3).shuffle(shuffled)
        losses, known = [], 0
        for fold in range(FOLDS):
            left_out = shuffled[fold::FOLDS]
            others = [at for at in shuffled if at not in left_out]
            model = self.model(others)
            for one in self.classes:
                inside = [at for at in left_out if self.in_class(one, self.problems[at])]
                costs = self.costs(one, others, model) if inside else None
                for at in inside:
                    chosen = costs.choice(self.problems[at])
                    us = next((row.get(at) for configuration, row in self.rows if configuration is chosen), None)
                    known += us is not None
                    if us is None and chosen is not None:
                        us = max(self.best[at], final.times([chosen], [self.problems[at]], self.is_valid)[0][0])
                    losses.append(MISSING_LOSS if us is None else math.log(us / self.best[at]))
        return losses, known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--blocks", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--volume", required=True)
    parser.add_argument("--term", action="append", default=[])
    parser.add_argument("--feature", action="append", default=[])
    parser.add_argument("--valid", default="1 == 1")
    parser.add_argument("--when", action="append", default=[])
    parser.add_argument("--count", type=int, default=14)
    parser.add_argument("--near", type=float, default=1.1)
    parser.add_argument("--seen", type=int, default=1)
    parser.add_argument("--spare", type=int, default=0)
    parser.add_argument("--measured", type=int, default=0)
    parser.add_argument("--drawn", type=int, default=800, help="how many sizes are drawn in each class")
    parser.add_argument("--validate", action="store_true")
    asked = parser.parse_args()
    asked.when = asked.when or ["1 == 1"]
    _, times = read_times(asked.database)
    sm_count, default = gpu_and_default(asked.database)
    study = Study(times, asked, sm_count)
    if asked.validate:
        losses, known = study.validate()
        print(f"{len(losses)} sizes, left out in turn: {summary(losses)}; the chosen configuration was measured at {known} of them")
        return
    everything = range(len(study.problems))
    model = study.model(everything)
    for text, one in zip(asked.when, study.classes, strict=True):
        for configuration, slots, factors in study.costs(one, everything, model).fits:
            cost = study.form.text(configuration, slots, factors)
            print(table_of(configuration, default, None if text == "1 == 1" else text, cost))


if __name__ == "__main__":
    main()
