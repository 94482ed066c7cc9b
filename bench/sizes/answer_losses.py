#!/usr/bin/env python3
"""How good the answers for sizes that were never measured are, what the best choice would reach, and whether expected losses come true.

    bench/sizes/answer_losses.py [--gpu GPU] PROGRAM DATABASE...

The databases are those of near_winners.py, and so are the trials: a size is asked for, and one to five others are known. The first table
has the answers of a definition with recommended configurations, the second those of a definition without. Each cell has how much slower
the answers are than the best known configuration of their sizes: the geometric mean and the worst case. `any of the known` always takes
the fastest of what a rule may choose from. The row `left out` applies to each kernel the rule that is the best for the others.
The third table is about the expected losses of `query --explain`. It has how often there are any, how often the true loss is at most their
median, and how often it is at most the largest of them. `due` is how often the largest of so many would suffice by chance. Needs no GPU.
"""

import math
import sqlite3
import statistics

from near_winners import by_distance, ratio, read_arguments, read_times, recommended, trials, winner_of

NEAR = 4.0  # As db::kMaxRatioBesideRecommended.
LAUNCH_S = 1e-6  # Added to the time at the roofs: a launch takes about that long.
SATURATING = 0.6  # The share of the SMs that takes the whole bandwidth of the memory.


class Kernel:
    def __init__(self, program, database, gpu):
        self.name, self.times = read_times(database)
        self.recommended = {problem: recommended(program, self.name, problem, gpu) for problem in self.times}
        self.winners = {problem: winner_of(self.times, problem) for problem in self.times}
        self.blocks, self.roof_s, self.measured = {}, {}, set()
        with sqlite3.connect(database) as connection:
            self.sms, = connection.execute("SELECT max(sm_count) FROM gpu").fetchone()
            rows = connection.execute("SELECT w.problem, c.body, m.status, m.blocks, s.work_bytes / s.roof_copy_bytes_per_s, s.work_flops / "
                                      "iif(s.work_unit = 'tensor', s.roof_tensor_flops_per_s, s.roof_fp32_measured_flops_per_s) "
                                      "FROM measurement m JOIN configuration c ON c.id = m.configuration_id JOIN workload w "
                                      "ON w.id = c.workload_id JOIN session s ON s.id = m.session_id WHERE m.blocks > 0").fetchall()
        for problem, configuration, status, blocks, bytes_s, flops_s in rows:
            self.blocks[problem, configuration] = blocks
            if status == "measured":
                self.measured.add((problem, configuration))
            self.roof_s[problem] = bytes_s or 0, flops_s or 0

    def loss(self, problem, configuration):
        """The time over that of the best, or None if the configuration was not measured there."""
        time = self.times[problem].get(configuration)
        return time and time / min(self.times[problem].values())

    def fill(self, problem, configuration):
        """The mean number of blocks of an SM over the largest one."""
        each = self.blocks[problem, configuration] / self.sms
        return each / math.ceil(each)

    def use(self, problem, configuration):
        """Which share of the limiting units the blocks occupy: as `fill`, but memory needs only some of the SMs."""
        bytes_s, flops_s = self.roof_s[problem]
        busy = min(1, self.blocks[problem, configuration] / self.sms / SATURATING)
        return self.fill(problem, configuration) if flops_s > bytes_s else busy

    def over_roof(self, problem):
        """The time of the winner over the time at the roofs."""
        return max(1, self.times[problem][self.winners[problem]] * 1e-9 / (max(self.roof_s[problem]) + LAUNCH_S))


def near(limit, needs_fill=False, any_alike=False):
    """The nearest winner up to a ratio, if the same is recommended for its size; otherwise what is recommended."""
    def rule(kernel, asked, known):
        wanted = kernel.recommended[asked]
        able = by_distance(kernel.times, asked, known)
        if any_alike:
            able = [one for one in able if kernel.recommended[one] == wanted]
        for one in able[:1]:
            if kernel.recommended[one] != wanted or ratio(asked, one) > limit:
                continue
            if not needs_fill or (asked, wanted) not in kernel.blocks or kernel.fill(asked, kernel.winners[one]) >= kernel.fill(asked, wanted):
                return kernel.winners[one]
        return wanted
    return rule


def related(pairs, distance):
    return [loss for measured, loss in pairs if measured <= distance + 1]


def winner_pairs(kernel, known, with_dropped=True):
    """What the winners of known sizes lost at the other known ones, with the distances."""
    pairs = [(a, b) for a in known for b in known if a != b and kernel.winners[a] in kernel.times[b]]
    return [(math.log2(ratio(a, b)), kernel.loss(b, kernel.winners[a])) for a, b in pairs
            if with_dropped or (b, kernel.winners[a]) in kernel.measured]


def by_expectation(kernel, asked, known):
    """What has the smallest expected loss, if at least three measured losses say so; otherwise as today."""
    answer = near(NEAR)(kernel, asked, known)
    expected = [loss for loss in (kernel.loss(one, kernel.recommended[one]) for one in known) if loss]
    if not expected or answer != kernel.recommended[asked]:
        return answer
    limit = statistics.median(expected) / 1.03
    for one in by_distance(kernel.times, asked, known):
        losses = related(winner_pairs(kernel, known), math.log2(ratio(asked, one)))
        if len(losses) >= 3 and statistics.median(losses) < limit:
            limit, answer = statistics.median(losses), kernel.winners[one]
    return answer


def fastest(candidates):
    def rule(kernel, asked, known):
        able = [one for one in candidates(kernel, asked, known) if one in kernel.times[asked]]
        return min(able, key=kernel.times[asked].get) if able else None
    return rule


def lowest(score):
    """The winner with the smallest score among those that can run."""
    def rule(kernel, asked, known):
        able = by_distance(kernel.times, asked, known)
        return kernel.winners[min(able, key=lambda one: score(kernel, asked, one))] if able else None
    return rule


def lost_use(kernel, asked, one):
    """How much less a winner occupies the units at the asked size than at its own."""
    winner = kernel.winners[one]
    return max(1, kernel.use(one, winner) / kernel.use(asked, winner))


WITH = {
    "today": near(NEAR),
    "recommended": near(0),
    "16, if as full": near(16, needs_fill=True),
    "64, if as full": near(64, needs_fill=True),
    "8, any alike, full": near(8, needs_fill=True, any_alike=True),
    "expected loss": by_expectation,
    "any of the known": fastest(lambda kernel, asked, known: [kernel.recommended[asked]] + [kernel.winners[one] for one in known]),
    "any winner": fastest(lambda kernel, asked, known: [kernel.recommended[asked]] + [kernel.winners[one] for one in kernel.times if one != asked]),
}
WITHOUT = {
    "today: nearest": lowest(lambda kernel, asked, one: ratio(asked, one)),
    "x lost use": lowest(lambda kernel, asked, one: ratio(asked, one) * lost_use(kernel, asked, one)),
    "x lost use^2": lowest(lambda kernel, asked, one: ratio(asked, one) * lost_use(kernel, asked, one) ** 2),
    "x sqrt over roof": lowest(lambda kernel, asked, one: math.log2(ratio(asked, one)) * math.sqrt(kernel.over_roof(one))),
    "x both": lowest(lambda kernel, asked, one: math.log2(ratio(asked, one)) * math.sqrt(kernel.over_roof(one)) * lost_use(kernel, asked, one)),
    "any of the known": fastest(lambda kernel, asked, known: [kernel.winners[one] for one in known]),
}


def print_rules(kernels, rules):
    means = {}
    print(f"{'':20}" + "".join(f"{kernel.name:>14}" for kernel in kernels) + "           all")
    for name, rule in rules.items():
        cells, means[name] = [], {}
        for kernel in kernels:
            answers = ((asked, rule(kernel, asked, known)) for asked, known in trials(kernel.times))
            losses = [loss for loss in (kernel.loss(*answer) for answer in answers) if loss]
            means[name][kernel.name] = statistics.geometric_mean(losses) if losses else 1.0
            cells.append(f"{means[name][kernel.name]:.3f}, {max(losses):.2f}" if losses else "no answer")
        print(f"{name:20}" + "".join(f"{cell:>14}" for cell in cells) + f"{statistics.geometric_mean(means[name].values()):14.3f}")
    left_out = []
    for kernel in kernels:
        others = [one.name for one in kernels if one is not kernel]
        possible = [name for name in rules if not name.startswith("any")]
        best = min(possible, key=lambda name: statistics.geometric_mean([means[name][one] for one in others])) if others else possible[0]
        left_out.append(means[best][kernel.name])
    print(f"{'left out':20}" + "".join(f"{mean:14.3f}" for mean in left_out) + f"{statistics.geometric_mean(left_out):14.3f}\n")


def expectations(kernels, expected_and_true):
    """The columns of the third table."""
    rows, asked_for = [], 0
    for kernel in kernels:
        for asked, known in trials(kernel.times):
            for losses, true in expected_and_true(kernel, asked, known):
                asked_for += 1
                if losses and true:
                    rows.append((true <= statistics.median(losses), true <= max(losses), len(losses) / (len(losses) + 1)))
    return [len(rows) / max(asked_for, 1)] + [statistics.mean(column) for column in zip(*rows)]


def print_expectations(kernels):
    def of_winners(with_dropped):
        def found(kernel, asked, known):
            for one in by_distance(kernel.times, asked, known)[:1] if len(known) > 1 else []:
                pairs = winner_pairs(kernel, known, with_dropped)
                yield related(pairs, math.log2(ratio(asked, one))), kernel.loss(asked, kernel.winners[one])
        return found

    def of_recommended(kernel, asked, known):
        losses = [kernel.loss(one, kernel.recommended[one]) for one in known]
        yield [loss for loss in losses if loss], kernel.loss(asked, kernel.recommended[asked])

    sources = {"the nearest winner, dropped rows left out": of_winners(False), "the nearest winner": of_winners(True),
               "the recommended": of_recommended}
    print(f"{'expected loss of':42}      known  <= median <= largest        due")
    for name, source in sources.items():
        print(f"{name:42}" + "".join(f"{cell:11.0%}" for cell in expectations(kernels, source)))


def main():
    given = read_arguments(__doc__)
    kernels = [Kernel(given.program, database, given.gpu) for database in given.databases]
    print_rules(kernels, WITH)
    print_rules(kernels, WITHOUT)
    print_expectations(kernels)


if __name__ == "__main__":
    main()
