#!/usr/bin/env python3
"""scripts/gpu-survey-counters reads what a survey and the program say, and its program has the modes that it names."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("survey_counters", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


script = loaded(ROOT / "scripts/gpu-survey-counters")
KERNEL = {"kernel": "copy(float const*, float*)", "diagnosis": {"findings": [{"rule": "dram_bound"}, {"rule": "tail"}]}}


class SurveyCounters(unittest.TestCase):
    def test_a_kernel_is_found_by_the_beginning_of_its_name(self):
        self.assertEqual(script.counted({"counted_kernels": [KERNEL]}, "copy("), KERNEL)
        self.assertEqual(script.counted({"counted_kernels": [KERNEL]}, "strided("), {})
        self.assertEqual(script.rules_of(KERNEL), ["dram_bound", "tail"])
        self.assertEqual(script.rules_of({}), [])

    def test_both_runs_must_be_right(self):
        self.assertTrue(script.both_runs_good({"run": {"exit_code": 0, "counting_problem": None}}))
        self.assertFalse(script.both_runs_good({"run": {"exit_code": 1, "counting_problem": None}}))
        self.assertFalse(script.both_runs_good({"run": {"exit_code": 0, "counting_problem": "The second run had the exit code 1, the first one 0."}}))

    def test_numbers(self):
        self.assertEqual(script.seconds_of("small: 0.25 s\nsmall_open: 2 s\nsmall: 0.5 s\n", "small"), [0.25, 0.5])
        self.assertTrue(script.near(104, 100, 0.05))
        self.assertFalse(script.near(106, 100, 0.05))
        self.assertFalse(script.near(None, 100, 0.05))

    def test_its_program_has_every_mode(self):
        modes = set(re.findall(r"^//   (\w+)  ?", script.PROGRAM.read_text(), re.M))
        named = set(re.findall(r'"(copy|strided|in_place|graph|mixed|beside|threads|small_open|small)"', (ROOT / "scripts/gpu-survey-counters").read_text()))
        self.assertEqual(named, modes)


if __name__ == "__main__":
    unittest.main()
