#!/usr/bin/env python3
"""bench/sizes/tier_losses.py on made-up tables."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "bench" / "sizes"))
import tier_losses  # noqa: E402

HEAD = "kernel,problem,gpu,cache,A,B,status,reason,time_ns\n"


def table(gpu, *rows):
    return HEAD + "".join(f"k,N=1,{gpu},cold,{a},{b},{status},,{time}\n" for a, b, status, time in rows)


class TierLossesTest(unittest.TestCase):
    def test_the_tier_follows_from_the_compute_capabilities(self):
        self.assertEqual(tier_losses.tier_of("NVIDIA RTX A4000", "NVIDIA GeForce RTX 3090"), "same_cc")
        self.assertEqual(tier_losses.tier_of("NVIDIA A100-PCIE-40GB", "NVIDIA RTX A4000"), "same_major")
        self.assertEqual(tier_losses.tier_of("NVIDIA A100", "NVIDIA H100"), "portable")
        self.assertEqual(tier_losses.tier_of("NVIDIA A100", "AMD MI250X"), "portable")

    def test_a_loss_is_relative_to_the_best_and_failed_rows_have_none(self):
        one = tier_losses.Recording(table("A100", (1, "true", "measured", 10), (2, "false", "measured", 15), (3, "true", "timed_out", 1)),
                                    {"A": 2, "B": False})
        other = tier_losses.Recording(table("H100", (1, "true", "measured", 30), (2, "false", "measured", 20)))
        self.assertEqual(one.best, ("1", "true"))
        self.assertAlmostEqual(other.loss_of(one.best), 0.5)
        self.assertAlmostEqual(one.loss_of(one.default), 0.5)
        self.assertIsNone(one.loss_of(("3", "true")))
        self.assertTrue(one.fits(other))
        self.assertFalse(one.fits(tier_losses.Recording(table("A100", (1, "true", "measured", 10)))), "the same GPU")


if __name__ == "__main__":
    unittest.main()
