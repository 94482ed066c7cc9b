#!/usr/bin/env python3
"""scripts/gpu-sanitize-profile judges reports as its text says, and its table fits the planted kernel."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("sanitize_profile", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


script = loaded(ROOT / "scripts/gpu-sanitize-profile")


def report(unfinished=0, **lines):
    tools = [{"tool": tool, "elapsed_s": 1.0, "problem": None, "findings": [
        {"places": [{"place": {"file": "planted.cu", "line": line}} for line in found]}] if found else []} for tool, found in lines.items()]
    return {"unfinished_count": unfinished, "configurations": [{"tools": tools}]}


class SanitizeProfile(unittest.TestCase):
    def test_the_table_has_the_faults_of_the_kernel_each_with_a_marked_line(self):
        listed = re.search(r"^FAULT = \[(.*)\]$", script.SOURCE.read_text(), re.MULTILINE).group(1)
        self.assertEqual(re.findall(r'"(\w+)"', listed), list(script.FAULTS))
        for fault, tool in script.FAULTS.items():
            self.assertEqual(len(script.marked_lines(fault)), 1 if tool else 0, fault)

    def test_a_fault_passes_only_if_its_tool_names_its_line(self):
        line = script.marked_lines("write_behind")[0]
        self.assertTrue(script.passes("write_behind", report(memcheck=[line], racecheck=[3])))
        self.assertFalse(script.passes("write_behind", report(memcheck=[line + 1])))
        self.assertFalse(script.passes("write_behind", report(racecheck=[line])))
        self.assertFalse(script.passes("write_behind", report(1, memcheck=[line])))

    def test_the_kernel_without_a_fault_passes_only_if_nothing_is_found(self):
        self.assertTrue(script.passes("none", report(memcheck=[])))
        self.assertFalse(script.passes("none", report(memcheck=[3])))
        self.assertFalse(script.passes("none", report(1, memcheck=[])))

    def test_a_row_says_what_failed(self):
        self.assertIn("good", script.row("none", report(memcheck=[])))
        self.assertIn("memcheck:3", script.row("none", report(memcheck=[3])))
        self.assertIn("FAILED", script.row("none", report(memcheck=[3])))
        self.assertIn("FAILED: no GPU", script.row("none", {"error": "no GPU"}))


if __name__ == "__main__":
    unittest.main()
