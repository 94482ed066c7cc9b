#!/usr/bin/env python3
"""bench/sizes/fit_costs.py on made-up times."""

import json
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "bench" / "sizes"))
import fit_costs  # noqa: E402

SM_COUNT = 10
SIZES = [{"M": m, "K": k} for m in (100, 300, 700, 1500, 4000) for k in (64, 500, 3000)]
FORM = ("ceil_div(M, TILE)", "round_up(K, 8)", ["(K % 8 != 0) * M"])


def us_of(tile, size):
    """One block at a time on each SM, and a start of 2 us. Sizes of K that 8 does not divide cost more."""
    waves = -(-(-(-size["M"] // tile)) // SM_COUNT)
    return 2.0 + waves * (0.01 * tile + 0.0001 * tile * (-(-size["K"] // 8) * 8)) + (size["K"] % 8 != 0) * 0.001 * size["M"]


def made_up():
    """Small tiles win where few rows are to be spread over the SMs, large ones otherwise: a block of 16 costs more for each row."""
    return {json.dumps(size): {json.dumps({"TILE": tile}): 1e3 * us_of(tile, size) * (1.3 if tile == 16 else 1.0) for tile in (16, 64, 256)}
            for size in SIZES}


class FitCosts(unittest.TestCase):
    def setUp(self):
        self.times = made_up()
        self.matrix = fit_costs.Matrix(self.times, fit_costs.Form(*FORM), SM_COUNT)

    def test_factors_are_found_again(self):
        at = self.matrix.configurations.index({"TILE": 64})
        slots, factors = self.matrix.fit(at, range(len(SIZES)))
        self.assertEqual(slots, 1)
        for found, made in zip(factors, (2.0, 0.64, 0.0064, 0.0, 0.0, 0.001), strict=True):
            self.assertAlmostEqual(found, made, delta=0.02 * made + 1e-4)

    def test_the_fastest_is_chosen_also_at_sizes_left_out(self):
        self.assertLess(max(self.matrix.validated(3)), math.log(1.05))

    def test_a_cost_is_an_expression_of_sizes(self):
        text = self.matrix.form.text({"TILE": 64}, 2, [2.0, 0.5, 0.25, 0.0, 0.125, 0.001])
        self.assertEqual(text, "2 + ceil_div(ceil_div(M, 64), 2 * device_sm_count) * (0.5 + 0.25 * round_up(K, 8)) + "
                               "1.0 * ceil_div(M, 64) / device_sm_count * 0.125 * round_up(K, 8) + 0.001 * (K % 8 != 0) * M")
        split = fit_costs.Form("SPLIT * ceil_div(M, 8)", "ceil_div(K, SPLIT)", [])
        self.assertEqual(split.text({"SPLIT": 1}, 1, [0.0, 0.0, 0.5, 0.0, 0.0]), "ceil_div(1 * ceil_div(M, 8), device_sm_count) * 0.5 * K")
        table = fit_costs.table_of({"TILE": 64, "ORDER": "rows"}, {"TILE": 16, "ORDER": "rows"}, "M > 8", "2 + M")
        self.assertEqual(table, "[[recommended]]\nwhen = 'M > 8'\ncost = '2 + M'\n[recommended.values]\nTILE = 64\n")

    def test_the_printed_cost_is_the_fitted_one(self):
        form = fit_costs.Form("B * M + 1", "K + 8", ["M + K", "(K % 8 != 0 || M == 3) * M", "KIND == 'x' && M > 2"])
        factors = [1.0, 2.0, 0.5, 0.25, 0.125, 4.0, 8.0, 16.0]
        configuration = {"B": 2, "KIND": "x"}
        text = form.text(configuration, 2, factors)
        for problem in ({"M": 3, "K": 5}, {"M": 700, "K": 64}, {"M": 1, "K": 9}):
            row = form.row(problem, configuration, 2, SM_COUNT)
            # A definition's `/` of a real and an integer is that of Python.
            shown = eval(text.replace("&&", " and ").replace("||", " or ").replace("(\"x\" == 'x'  and ", "(True and "),
                         {**fit_costs.FUNCTIONS, **problem, "device_sm_count": SM_COUNT})
            self.assertAlmostEqual(shown, sum(x * y for x, y in zip(row, factors, strict=True)))

    def test_texts_and_divisions(self):
        self.assertEqual(fit_costs.toml_of("when", "dtype == 'f32'"), "when = \"dtype == 'f32'\"")
        self.assertEqual(fit_costs.Form("M", None, ["M * 1e6 * FAST"]).text({"FAST": True}, 1, [0.0] * 5 + [2.0]), "2 * M * 1e6 * true")
        with self.assertRaisesRegex(SystemExit, "ceil_div"):
            fit_costs.Form("M / TILE", None, [])

    def test_the_time_of_an_interrupted_host_is_left_out(self):
        size = json.dumps(SIZES[-1])
        fastest = min(self.times[size], key=self.times[size].get)
        self.times[json.dumps(SIZES[0])][fastest] *= 10
        matrix = fit_costs.Matrix(self.times, fit_costs.Form(*FORM), SM_COUNT)
        self.assertIsNone(matrix.losses[matrix.configurations.index(json.loads(fastest))][0])

    def test_factors_are_not_negative(self):
        error, factors = fit_costs.least_squares([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], [3.0, 2.0, 1.0])
        self.assertEqual(factors[1], 0.0)
        self.assertAlmostEqual(factors[0], 2.0)
        self.assertAlmostEqual(error, 2.0)


if __name__ == "__main__":
    unittest.main()
