#!/usr/bin/env python3
"""bench/sizes/answer_losses.py on made-up times."""

import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "bench" / "sizes"))
import answer_losses  # noqa: E402
import near_winners  # noqa: E402

SMALL, LARGE, HUGE = (f'{{"N":{n}}}' for n in (1000, 3000, 64000))


class MadeUp(answer_losses.Kernel):
    """`a` is the winner of the small size, `b` that of the large one, `c` that of the huge one, where `a` cannot run."""

    def __init__(self):
        self.sms = 100
        self.times = {SMALL: {"a": 10.0, "b": 15.0, "r": 12.0}, LARGE: {"a": 33.0, "b": 30.0, "c": 60.0, "r": 36.0},
                      HUGE: {"b": 900.0, "c": 600.0, "s": 700.0}}
        self.recommended = {SMALL: "r", LARGE: "r", HUGE: "s"}
        self.winners = {problem: near_winners.winner_of(self.times, problem) for problem in self.times}
        self.measured = {(SMALL, "b"), (LARGE, "a")}
        self.blocks = {(LARGE, "a"): 150, (LARGE, "r"): 200}


class AnswerLosses(unittest.TestCase):
    def setUp(self):
        self.kernel = MadeUp()

    def test_a_near_winner_answers_if_the_same_is_recommended_and_it_is_as_full(self):
        self.assertEqual(answer_losses.near(4)(self.kernel, LARGE, [SMALL, HUGE]), "a")
        self.assertEqual(answer_losses.near(2)(self.kernel, LARGE, [SMALL]), "r")
        self.assertEqual(answer_losses.near(4)(self.kernel, LARGE, [HUGE]), "r", "something else is recommended for its size")
        self.assertEqual(answer_losses.near(4, needs_fill=True)(self.kernel, LARGE, [SMALL]), "r", "0.75 of the SMs instead of all")

    def test_a_size_or_a_whole_kernel_without_a_recommendation_is_no_error(self):
        self.kernel.recommended = dict.fromkeys(self.kernel.times)
        self.assertEqual(answer_losses.near(4, needs_fill=True)(self.kernel, LARGE, [SMALL, HUGE]), "a")
        self.assertIsNone(answer_losses.near(0)(self.kernel, LARGE, [SMALL]))
        self.kernel.name = "made_up"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            answer_losses.print_rules([self.kernel], {"recommended": answer_losses.near(0)})
        self.assertIn("no answer", printed.getvalue())
        self.assertEqual(answer_losses.expectations([], None), [0.0])

    def test_a_winner_that_cannot_run_is_passed_over(self):
        self.assertEqual(near_winners.by_distance(self.kernel.times, HUGE, [SMALL, LARGE]), [LARGE])
        self.assertEqual(answer_losses.WITHOUT["today: nearest"](self.kernel, HUGE, [SMALL, LARGE]), "b")

    def test_the_best_choice_takes_the_fastest_of_what_is_known(self):
        self.assertEqual(answer_losses.WITH["any of the known"](self.kernel, LARGE, [HUGE]), "r")
        self.assertEqual(answer_losses.WITH["any of the known"](self.kernel, LARGE, [HUGE, SMALL]), "a")
        self.assertAlmostEqual(self.kernel.loss(LARGE, "a"), 1.1)
        self.assertIsNone(self.kernel.loss(HUGE, "a"))

    def test_dropped_rows_can_be_left_out_of_the_pairs(self):
        known = [SMALL, LARGE, HUGE]
        self.assertEqual([round(loss, 2) for _, loss in answer_losses.winner_pairs(self.kernel, known)], [1.1, 1.5, 1.5, 2.0])
        self.assertEqual([round(loss, 2) for _, loss in answer_losses.winner_pairs(self.kernel, known, False)], [1.1, 1.5])

    def test_expectations_compare_true_losses_with_the_median_and_the_largest(self):
        def expected(kernel, asked, known):
            yield [1.0, 1.2, 1.4], {SMALL: 1.1, LARGE: 1.3, HUGE: None}[asked]

        known, below_median, below_largest, due = answer_losses.expectations([self.kernel], expected)
        self.assertAlmostEqual(known, 2 / 3)
        self.assertEqual((below_median, below_largest, due), (0.5, 1.0, 0.75))


if __name__ == "__main__":
    unittest.main()
