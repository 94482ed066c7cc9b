#!/usr/bin/env python3
"""Fits costs of configurations to their times at many sizes, and prints them as [[recommended]] tables of the definition.

    bench/sizes/fit_costs.py --blocks EXPRESSION [--work EXPRESSION] [--term EXPRESSION ...] [--when CONDITION] [--count N] DATABASE

DATABASE has one kernel and comes from bench_size_matrix: the winners of all sizes are measured at every size. The expressions are those of
definitions, over sizes and parameters: how many blocks a launch has, how much work a block does, and further terms such as the bytes.
The cost of a configuration is its time in us:

    a + waves * (b + c * work) + blocks / device_sm_count * (d + e * work) + f * term ...

`waves` is ceil_div(blocks, slots * device_sm_count). The number of slots and the factors, none of them negative, have the least squares of
relative errors over the sizes at which the configuration was timed. At most N configurations are kept. Each one is the one that lowers
the losses of the best kept one most. Those that are chosen at no size are left out.

Standard error says how much slower the chosen configurations are than the best of their sizes (geometric mean and worst case). The first
figures are for the fitted sizes. In cross-validation, an eighth of the sizes is left out of choosing and fitting. Needs no GPU.
"""

import argparse
import json
import math
import random
import re
import sqlite3
import statistics
import sys

from near_winners import read_times

SLOTS = (1, 2, 3, 4, 6, 8, 12, 16)
FOLDS = 8
ORDERS = 3  # Cross-validation divides the sizes in so many ways.
MISSING_LOSS = math.log(1.8)  # Counts where nothing kept was timed, and in place of a larger loss.
FEWEST_SIZES = 6  # Where a configuration must have been timed.
INTERRUPTED = 3.0  # A dropped time of so many times the best is left out if the configuration is usually good: the host was late.
USUAL = 1.6
WIDEST = 103  # Characters of a line of a long expression.
LITERAL = re.compile(r"""("[^"]*"|'[^']*')""")  # A text in an expression.
FUNCTIONS = {"ceil_div": lambda a, b: -(-a // b), "round_up": lambda a, b: -(-a // b) * b, "min": min, "max": max}


def python_of(expression):
    """An expression of the definition language as one of Python. Divisions are refused, because those of integers differ."""
    if "/" in LITERAL.sub("", expression):
        sys.exit(f"{expression}: there is no / here, only ceil_div(a, b)")
    text = expression.replace("&&", " and ").replace("||", " or ")
    return compile(re.sub(r"!(?!=)", " not ", text), expression, "eval")


def evaluated(code, values):
    """The value of what `python_of` returned, for sizes and parameters."""
    return eval(code, {"__builtins__": {}, **FUNCTIONS}, values)


class Form:
    """The terms of a cost, with the text of each for a configuration."""

    def __init__(self, blocks, work, terms):
        self.texts = [blocks, work or "0", *terms]
        self.codes = [python_of(text) for text in self.texts]

    def row(self, problem, configuration, slots, sm_count):
        values = {**configuration, **problem}
        blocks, work, *further = (evaluated(code, values) for code in self.codes)
        waves = -(-blocks // (slots * sm_count))
        return [1.0, waves, waves * work, blocks / sm_count, blocks / sm_count * work, *map(float, further)]

    def text(self, configuration, slots, factors):
        def with_values(text):
            parts = LITERAL.split(text)  # Every second one is a text.
            parts[::2] = [re.sub(r"[A-Za-z_]\w*", lambda name: literal(configuration, name[0]), part) for part in parts[::2]]
            text = re.sub(r"(?:ceil_div|round_up)\((\w+|\w+\([^()]*\)), 1\)", r"\1", "".join(parts))
            text = re.sub(r" \* 1(?![\w.])", "", text)
            outside = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", text))
            return f"({text})" if re.search(r" [-+<>] | [&|=!<>]{2} ", outside) else text

        blocks, work, *further = map(with_values, self.texts)
        per_wave = f"{slots} * device_sm_count" if slots > 1 else "device_sm_count"
        parts = [number(factors[0])] if factors[0] > 0 else []
        for head, (constant, rising) in ((f"ceil_div({blocks}, {per_wave}) * ", factors[1:3]),
                                         (f"1.0 * {blocks} / device_sm_count * ", factors[3:5])):
            inner = [number(constant)] if constant > 0 else []
            inner += [f"{number(rising)} * {work}"] if rising > 0 else []
            if inner:
                parts.append(head + (f"({' + '.join(inner)})" if len(inner) > 1 else inner[0]))
        parts += [f"{number(factor)} * {term}" for factor, term in zip(factors[5:], further, strict=True) if factor > 0]
        return " + ".join(parts) or "0"


def literal(configuration, name):
    """The value of a parameter, or the name itself."""
    value = configuration.get(name)
    return name if value is None else json.dumps(value) if isinstance(value, (str, bool)) else str(value)


def number(value):
    return f"{value:.3g}"


def least_squares(rows, goals):
    """The factors, none negative, for which the products with the rows come nearest to the goals: coordinate descent."""
    columns = list(zip(*rows, strict=True))
    scales = [math.sqrt(sum(x * x for x in column)) or 1.0 for column in columns]
    columns = [[x / scale for x in column] for column, scale in zip(columns, scales, strict=True)]
    products = [[sum(map(float.__mul__, one, other)) for other in columns] for one in columns]
    aims = [sum(map(float.__mul__, column, goals)) for column in columns]
    factors = [0.0] * len(columns)
    for _ in range(2000):
        moved = 0.0
        for i, line in enumerate(products):
            if line[i] == 0.0:
                continue
            best = max(0.0, factors[i] + (aims[i] - sum(map(float.__mul__, line, factors))) / line[i])
            moved = max(moved, abs(best - factors[i]))
            factors[i] = best
        if moved < 1e-7:
            break
    error = sum((sum(map(float.__mul__, row, factors)) - goal) ** 2 for row, goal in zip(zip(*columns, strict=True), goals, strict=True))
    return error, [factor / scale for factor, scale in zip(factors, scales, strict=True)]


def cost_of(row, factors):
    """The cost of which `Form.row` returned the terms."""
    return sum(map(float.__mul__, map(float, row), factors))


def best_fit(rows_of, times, weights):
    """The slots, the factors and the rows, each divided by its time and multiplied by its weight, with the least squares of relative
    errors. `rows_of(slots)` has a row of terms for each time."""
    fits = []
    for slots in SLOTS:
        rows = [[x * weight / us for x in row] for row, us, weight in zip(rows_of(slots), times, weights, strict=True)]
        error, factors = least_squares(rows, weights)
        fits.append((error, slots, factors, rows))
    return min(fits)[1:]


def kept_rows(losses, count):
    """The rows that together lose little: each one lowers the losses of the best kept one most. A loss is a logarithm, or None."""
    def weight(loss):
        loss = MISSING_LOSS if loss is None else min(loss, MISSING_LOSS)
        return loss + loss * loss

    weights = [[weight(loss) for loss in row] for row in losses]
    lowest = [weight(None)] * len(weights[0])
    kept = []
    while len(kept) < count:
        totals = [sum(map(min, lowest, row)) for row in weights]
        at = min(range(len(totals)), key=totals.__getitem__)
        if totals[at] > sum(lowest) - 0.01:
            break
        kept.append(at)
        lowest = list(map(min, lowest, weights[at]))
    return kept


class Matrix:
    """The losses of configurations at sizes, as logarithms. A loss is None if the configuration was not timed at the size."""

    def __init__(self, times, form, sm_count):
        self.form, self.sm_count = form, sm_count
        best = {problem: min(row.values()) for problem, row in times.items()}
        ratios = {}
        for problem, row in times.items():
            for configuration, ns in row.items():
                ratios.setdefault(configuration, {})[problem] = ns / best[problem]
        self.problems = [json.loads(problem) for problem in times]
        self.best_us = [ns / 1e3 for ns in best.values()]
        self.configurations, self.losses = [], []
        for configuration, row in sorted(ratios.items()):
            usual = statistics.median(row.values())
            losses = [None if problem not in row or (usual < USUAL and row[problem] > INTERRUPTED) else math.log(row[problem])
                      for problem in times]
            if sum(loss is not None for loss in losses) >= FEWEST_SIZES:
                self.configurations.append(json.loads(configuration))
                self.losses.append(losses)
        self.rows = {}

    def row(self, configuration, problem, slots):
        key = configuration, problem, slots
        if key not in self.rows:
            self.rows[key] = self.form.row(self.problems[problem], self.configurations[configuration], slots, self.sm_count)
        return self.rows[key]

    def kept(self, problems, count):
        """The configurations that together lose little at the problems."""
        return kept_rows([[losses[problem] for problem in problems] for losses in self.losses], count)

    def fit(self, configuration, problems):
        """The slots and the factors of a configuration."""
        timed = [problem for problem in problems if self.losses[configuration][problem] is not None]
        times = [self.best_us[problem] * math.exp(self.losses[configuration][problem]) for problem in timed]
        return best_fit(lambda slots: [self.row(configuration, problem, slots) for problem in timed], times, [1.0] * len(timed))[:2]

    def choice(self, fits, problem):
        """The configuration with the lowest cost. None if none was timed at the problem."""
        costs = {at: cost_of(self.row(at, problem, slots), factors) for at, (slots, factors) in fits.items()
                 if self.losses[at][problem] is not None}
        return min(costs, key=costs.get) if costs else None

    def loss(self, fits, problem):
        chosen = self.choice(fits, problem)
        return MISSING_LOSS if chosen is None else self.losses[chosen][problem]

    def validated(self, count):
        """The losses at sizes that were left out of choosing and fitting."""
        losses = []
        for order in range(ORDERS):
            shuffled = list(range(len(self.problems)))
            random.Random(order).shuffle(shuffled)
            for fold in range(FOLDS):
                left_out = shuffled[fold::FOLDS]
                others = [problem for problem in shuffled if problem not in left_out]
                fits = {at: self.fit(at, others) for at in self.kept(others, count)}
                losses += [self.loss(fits, problem) for problem in left_out]
        return losses


def summary(losses):
    return f"{math.exp(statistics.mean(losses)):.3f} (worst {math.exp(max(losses)):.2f})"


def toml_of(key, text):
    """`key = text`, over several lines if it is long."""
    if len(key) + len(text) < 110:
        return f"{key} = '{text}'" if "'" not in text else f"{key} = {json.dumps(text)}"
    lines = [""]
    for part in re.split(r" (?=\+ |&& |\|\| )", text):
        for word in re.split(r" (?=\* )", part) if len(part) > WIDEST else [part]:
            if lines[-1] and len(lines[-1]) + len(word) > WIDEST:
                lines.append("")
            lines[-1] += (" " if lines[-1] else "") + word
    return f'{key} = """\\\n' + " \\\n".join(f"  {line}" for line in lines) + '"""'


def table_of(values, default, when, cost):
    lines = ["[[recommended]]", *([toml_of("when", when)] if when else []), toml_of("cost", cost), "[recommended.values]"]
    return "\n".join(lines + [f"{name} = {json.dumps(value)}" for name, value in values.items() if default.get(name) != value]) + "\n"


def gpu_and_default(database):
    """The number of the GPU's SMs, and the default configuration."""
    with sqlite3.connect(database) as connection:
        sm_count, = connection.execute("SELECT max(sm_count) FROM gpu").fetchone()
        default, = connection.execute("SELECT default_configuration FROM session LIMIT 1").fetchone()
    return sm_count, json.loads(default)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--blocks", required=True)
    parser.add_argument("--work")
    parser.add_argument("--term", action="append", default=[])
    parser.add_argument("--when")
    parser.add_argument("--count", type=int, default=14)
    asked = parser.parse_args()
    _, times = read_times(asked.database)
    sm_count, default = gpu_and_default(asked.database)
    matrix = Matrix(times, Form(asked.blocks, asked.work, asked.term), sm_count)
    if not matrix.configurations:
        parser.error(f"{asked.database}: no configuration was timed at {FEWEST_SIZES} sizes")
    problems = range(len(matrix.problems))
    fits = {at: matrix.fit(at, problems) for at in matrix.kept(list(problems), asked.count)}
    chosen = [matrix.choice(fits, problem) for problem in problems]
    print(f"{len(matrix.problems)} sizes, {len(set(chosen) - {None})} configurations: "
          f"{summary([matrix.loss(fits, problem) for problem in problems])}; "
          f"cross-validated: {summary(matrix.validated(asked.count))}", file=sys.stderr)
    print("\n".join(table_of(matrix.configurations[at], default, asked.when,
                             matrix.form.text(matrix.configurations[at], *fits[at])) for at in fits if at in chosen), end="")


if __name__ == "__main__":
    main()
