#!/usr/bin/env python3
"""bench/sizes/model_costs.py on made-up times, with a model that knows them. Only the trees need scikit-learn, so they are left out."""

import argparse
import contextlib
import io
import json
import math
import pathlib
import sqlite3
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "bench" / "sizes"))
import model_costs  # noqa: E402

SM_COUNT = 10
TILES = (16, 64, 256)
SIZES = [{"M": m, "K": k} for m in (96, 300, 700, 1500, 4000) for k in (64, 512, 3001)]


def us_of(tile, size):
    """Small tiles win where few rows are to be spread over the SMs, large ones otherwise."""
    waves = -(-(-(-size["M"] // tile)) // SM_COUNT)
    return 2.0 + waves * (0.01 * tile + 0.0001 * tile * size["K"]) * {16: 1.3, 64: 1.15, 256: 1.0}[tile]


def measured():
    """Each configuration was measured at the sizes where it is good, so none was measured at all of them."""
    times = {}
    for size in SIZES:
        best = min(us_of(tile, size) for tile in TILES)
        times[json.dumps(size)] = {json.dumps({"TILE": tile, "ORDER": order}): 1e3 * us_of(tile, size) * (2.0 if order == "bad" else 1.0)
                                   for tile in TILES for order in ("good", "bad") if us_of(tile, size) < 1.2 * best}
    return times


class Known:
    """In place of the learned model."""

    def __init__(self, describer, rows, best):
        self.describer, self.rows, self.best = describer, rows, best

    def times(self, configurations, problems, is_valid):
        return [[us_of(one["TILE"], size) * (2.0 if one["ORDER"] == "bad" else 1.0) if is_valid(one, size) else None for size in problems]
                for one in configurations]


def asked(**changes):
    return argparse.Namespace(**({"blocks": "ceil_div(M, TILE)", "work": "K", "volume": "TILE", "term": [], "feature": ["M % TILE == 0"],
                                 "valid": "TILE <= M", "when": ["K % 2 == 0", "K % 2 != 0"], "count": 3, "near": 1.1, "seen": 1, "spare": 0,
                                 "measured": 0, "drawn": 60} | changes))


class ModelCosts(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(model_costs, "Model", Known)
        patch.start()
        self.addCleanup(patch.stop)
        self.study = model_costs.Study(measured(), asked(), SM_COUNT)

    def test_sizes_are_drawn_between_measured_ones(self):
        for size in model_costs.drawn_sizes(SIZES, 300):
            self.assertTrue(95 <= size["M"] <= 4001 and 63 <= size["K"] <= 3072, size)
        drawn = model_costs.drawn_sizes([{"M": 128, "N": 128}, {"M": 2048, "N": 2048}], 50)
        self.assertTrue(all(size["M"] == size["N"] and size["M"] % 128 == 0 for size in drawn), drawn)
        self.assertGreater(len({size["M"] for size in drawn}), 8)
        self.assertTrue(any(size["M"] % 2 for size in model_costs.drawn_sizes([{"M": 128}, {"M": 1001}], 50)))

    def test_a_configuration_at_a_size_is_described_by_numbers(self):
        efforts, numbers = self.study.describer.row({"TILE": 64, "ORDER": "good"}, {"M": 704, "K": 96})
        self.assertEqual(efforts, [1.0, 2 * 96 * 64, 2 * 96, 96])
        self.assertEqual(numbers[:3], [64.0, 0.0, 1.0])
        self.assertEqual(numbers[-1], 1.0)
        others = self.study.describer.row({"TILE": 64, "ORDER": "bad"}, {"M": 703, "K": 96})[1]
        self.assertEqual(len(others), len(numbers))
        self.assertEqual((others[1:3], others[-1]), ([1.0, 0.0], 0.0))

    def test_the_choice_is_good_where_nothing_was_measured(self):
        places = range(len(SIZES))
        costs = self.study.costs(self.study.classes[0], places, self.study.model(places))
        self.assertEqual({one["ORDER"] for one, _, _ in costs.fits}, {"good"})
        for size in ({"M": 200, "K": 128}, {"M": 1000, "K": 2000}, {"M": 3500, "K": 100}):
            chosen = costs.choice(size)
            self.assertLess(us_of(chosen["TILE"], size), 1.1 * min(us_of(tile, size) for tile in TILES), size)
        self.assertEqual(costs.choice({"M": 40, "K": 128})["TILE"], 16)
        self.assertIsNone(costs.choice({"M": 8, "K": 128}))

    def test_only_what_is_near_the_best_is_a_candidate(self):
        self.assertTrue(all(one["ORDER"] == "good" for one in self.study.candidates(range(len(SIZES)))))
        everything = model_costs.Study(measured(), asked(near=9.0), SM_COUNT).candidates(range(len(SIZES)))
        self.assertEqual({one["ORDER"] for one in everything}, {"good", "bad"})
        self.assertEqual(self.study.candidates([]), [])

    def test_only_what_was_timed_at_enough_sizes_is_a_candidate(self):
        everywhere = model_costs.Study(measured(), asked(seen=4), SM_COUNT)
        for one in everywhere.candidates(range(len(SIZES))):
            self.assertGreaterEqual(sum(json.dumps(one) in row for row in measured().values()), 4)
        self.assertEqual(model_costs.Study(measured(), asked(seen=99), SM_COUNT).candidates(range(len(SIZES))), [])

    def test_texts_among_the_sizes_are_left_out(self):
        times = {json.dumps({**json.loads(size), "dtype": "f32"}): row for size, row in measured().items()}
        self.assertEqual(model_costs.Study(times, asked(), SM_COUNT).problems, SIZES)

    def test_of_spare_costs_those_are_left_out_without_which_the_choice_is_better(self):
        study = model_costs.Study(measured(), asked(count=2, spare=2, near=9.0, measured=1), SM_COUNT)
        places = range(len(SIZES))
        costs = study.costs(study.classes[0], places, study.model(places))
        self.assertTrue(1 <= len(costs.fits) <= 2)
        self.assertEqual({one["ORDER"] for one, _, _ in costs.fits}, {"good"})
        for size in ({"M": 200, "K": 128}, {"M": 3500, "K": 100}):
            self.assertLess(us_of(costs.choice(size)["TILE"], size), 1.3 * min(us_of(tile, size) for tile in TILES), size)

    def test_validation_counts_what_was_measured(self):
        losses, known = self.study.validate()
        self.assertEqual(len(losses), len(SIZES))
        self.assertLess(math.exp(sum(losses) / len(losses)), 1.05)
        self.assertTrue(len(SIZES) // 2 < known <= len(SIZES), known)

    def test_validation_leaves_the_size_out(self):
        seen = []
        model = self.study.model
        with mock.patch.object(self.study, "model", lambda places: seen.append(list(places)) or model(places)):
            self.study.validate()
        self.assertEqual(seen[0], list(range(len(SIZES))))
        left_out = [set(range(len(SIZES))) - set(places) for places in seen[1:]]
        self.assertEqual(sorted(at for part in left_out for at in part), list(range(len(SIZES))))

    def test_tables_are_printed_for_each_class(self):
        with tempfile.TemporaryDirectory() as folder:
            database = pathlib.Path(folder) / "a.db"
            with sqlite3.connect(database) as connection:
                connection.execute("CREATE TABLE gpu (sm_count)")
                connection.execute("INSERT INTO gpu VALUES (?)", (SM_COUNT,))
                connection.execute("CREATE TABLE session (default_configuration)")
                connection.execute("INSERT INTO session VALUES (?)", (json.dumps({"TILE": 64, "ORDER": "good"}),))
            connection.close()
            arguments = ["--blocks", "ceil_div(M, TILE)", "--work", "K", "--volume", "TILE", "--valid", "TILE <= M", "--when", "K % 2 == 0",
                         "--when", "K % 2 != 0", "--count", "3", "--drawn", "60", str(database)]
            output = io.StringIO()
            with mock.patch.object(model_costs, "read_times", lambda _: ("made_up", measured())), contextlib.redirect_stdout(output), \
                    mock.patch.object(sys, "argv", ["model_costs.py", *arguments]):
                model_costs.main()
        text = output.getvalue()
        self.assertEqual(text.count("[[recommended]]"), text.count("cost = "))
        for condition in ("K % 2 == 0", "K % 2 != 0"):
            self.assertIn(f"when = '{condition}'", text)
        self.assertIn("ceil_div(ceil_div(M, 256), device_sm_count)", text)
        self.assertNotIn("ORDER", text)


if __name__ == "__main__":
    unittest.main()
