#!/usr/bin/env python3
"""scripts/gpu-survey-capture reads what bench says, and its program has the modes that it names."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("survey_capture", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


script = loaded(ROOT / "scripts/gpu-survey-capture")


class SurveyCapture(unittest.TestCase):
    def test_a_time_is_compared_with_that_in_the_application(self):
        bench = {"capture": {"application_ns": 2000.0}, "repeated": {"in_a_row": {"median_ns": 1990.0}, "cold": {"median_ns": None}}}
        self.assertEqual(script.ratio_of(bench, "in_a_row"), 0.995)
        self.assertIsNone(script.ratio_of(bench, "cold"))
        self.assertIsNone(script.ratio_of({"capture": {"application_ns": None}, "repeated": None}, "cold"))
        self.assertEqual(script.difference_texts({"repeated": {"differences": [{"buffer": 1, "different_bytes": 4}]}}), ["buffer 1: 4 bytes"])

    def test_its_program_has_every_mode_and_kernel(self):
        source = script.PROGRAM.read_text()
        modes = set(re.findall(r"^//   (\w+)  ", source, re.M))
        rows = [row[:2] for row in script.CAPTURED + script.ON_SECOND_GPU + script.REFUSED]
        self.assertEqual({mode for mode, _ in rows}, modes)
        kernels = script.KERNELS.read_text()
        for _, kernel in rows:
            self.assertRegex(source + kernels, rf"__global__ void {kernel}\(")
        python_source = script.PYTHON_PROGRAM.read_text()
        self.assertEqual({mode for mode, _ in script.IN_PYTHON}, set(re.findall(r"^    (\w+)  +\S", python_source, re.M)))
        for mode, kernel, right, wrong in script.DEFINED:
            self.assertIn((mode, kernel), script.CAPTURED)
            self.assertIn(right, kernels)
            self.assertNotIn(wrong, kernels)


if __name__ == "__main__":
    unittest.main()
