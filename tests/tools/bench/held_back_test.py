#!/usr/bin/env python3
"""Recommendations come from other sizes than the held-back ones."""

import pathlib
import unittest

SIZES = pathlib.Path(__file__).resolve().parents[3] / "bench/sizes"


def sizes_of(file):
    """The sizes of a file, one in each line, whatever the order of their names."""
    return {frozenset(line.split()) for line in file.read_text().splitlines() if line and not line.startswith("#")}


class HeldBack(unittest.TestCase):
    def test_each_is_in_no_other_list(self):
        files = sorted((SIZES / "held_back").glob("*.txt"))
        self.assertGreaterEqual(len(files), 8)
        for file in files:
            for folder in ("lists", "random"):
                with self.subTest(file=file.name, folder=folder):
                    used = sizes_of(SIZES / folder / file.name)
                    self.assertTrue(used)
                    self.assertEqual(sizes_of(file) & used, set())

    def test_has_the_names_of_the_other_lists(self):
        for file in sorted((SIZES / "held_back").glob("*.txt")):
            names = {frozenset(one.split("=")[0] for one in size) for size in sizes_of(file)}
            self.assertEqual(len(names), 1, file.name)
            used = {frozenset(one.split("=")[0] for one in size) for size in sizes_of(SIZES / "random" / file.name)}
            self.assertEqual(names, used, file.name)


if __name__ == "__main__":
    unittest.main()
