#!/usr/bin/env python3
"""scripts/gpu-survey-programs judges surveys as its text says, and its table fits the planted programs and the list of findings."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("survey_programs", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


script = loaded(ROOT / "scripts/gpu-survey-programs")


def survey(*findings):
    return {"findings": [{"rule": rule, "bound_ratio": bound} for rule, bound in findings], "devices": [{"idle_ns": 25, "window_ns": 100}]}


class SurveyPrograms(unittest.TestCase):
    def test_a_planted_program_passes_only_if_its_fault_is_first(self):
        self.assertTrue(script.planted_passes(survey(("host_waits", 1.5), ("slow_kernel", 1.4)), "host_waits"))
        self.assertFalse(script.planted_passes(survey(("slow_kernel", 1.6), ("host_waits", 1.5)), "host_waits"))
        self.assertFalse(script.planted_passes(survey(), "host_waits"))

    def test_a_clean_sibling_passes_without_findings_that_matter(self):
        self.assertTrue(script.clean_passes(survey(), "host_waits"))
        self.assertTrue(script.clean_passes(survey(("slow_kernel", 9.0), ("idle_gaps", 1.09)), "host_waits"))
        self.assertFalse(script.clean_passes(survey(("idle_gaps", 1.1)), "host_waits"))
        self.assertFalse(script.clean_passes(survey(("host_waits", 1.06)), "host_waits"))
        self.assertFalse(script.clean_passes(survey(("slow_kernel", 2.0)), "slow_kernel"), "its own sibling must not name it")

    def test_texts(self):
        self.assertEqual(script.busy_text(survey()), "75 %")
        self.assertEqual(script.busy_text({"devices": []}), "-")
        self.assertEqual(script.findings_text(survey(("a", 1.5), ("b", 1.25))), "a 1.50x, b 1.25x")
        self.assertEqual(script.findings_text(survey()), "nothing")

    def test_the_table_names_the_programs_and_known_findings(self):
        expected = script.expected_findings((ROOT / "tests/survey/programs/expected.txt").read_text())
        self.assertEqual(set(expected), {path.stem for path in (ROOT / "tests/survey/programs").glob("*.cu")})
        listed = re.findall(r"^\s+FINDING\((\w+)\)", (ROOT / "survey/analysis/findings/finding_list.h").read_text(), re.M)
        self.assertLessEqual(set(expected.values()), set(listed))


if __name__ == "__main__":
    unittest.main()
