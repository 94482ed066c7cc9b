#!/usr/bin/env python3
"""bench/kernel_tuner_traces: its own parts, and whole runs where Kernel Tuner is installed."""

import gzip
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

SCRIPT = ROOT / "bench" / "kernel_tuner_traces"
INSTALLED = all(importlib.util.find_spec(name) for name in ("kernel_tuner", "numpy", "scipy"))


def load_script():
    loader = importlib.machinery.SourceFileLoader("kernel_tuner_traces", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


traces = load_script()


def cache(width=6):
    """A cache file of width * width configurations; those on the diagonal failed, two are not in it."""
    entries = {}
    for x in range(1, width + 1):
        for y in range(1, width + 1):
            if (x, y) in ((1, width), (width, 1)):
                continue
            entry = {"y": y, "x": x, "time": "RuntimeFailedConfig" if x == y else 0.5 * (x - 3) ** 2 + y, "compile_time": 100.0,
                     "verification_time": 0, "benchmark_time": 20.0, "framework_time": 5.0, "times": []}
            entries[f"{x},{y}"] = entry
    return {"device_name": "none", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x", "y"],
            "tune_params": {"x": list(range(1, width + 1)), "y": list(range(1, width + 1))}, "objective": "time", "cache": entries}


class Budget:
    def __init__(self, evaluations):
        self.max_fevals, self.done, self.seconds = evaluations, 0, 0.0

    def is_done(self):
        return self.done >= self.max_fevals

    def add_evaluations(self, count):
        self.done += count

    def add_time(self, seconds):
        self.seconds += seconds


class KernelTunerTraces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "small.json.gz"
        with gzip.open(self.path, "wt", encoding="utf-8") as file:
            json.dump(cache(), file)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def test_a_recording_is_read_in_the_order_of_its_keys(self):
        recording = traces.Recording(self.path)
        self.assertEqual(recording.name, "small")
        self.assertEqual(list(recording.parameters), ["x", "y"])
        self.assertEqual(len(recording.rows), 34)
        values, milliseconds, seconds = recording.rows["3,2"]
        self.assertEqual((list(values.items()), milliseconds), ([("x", 3), ("y", 2)], 2.0))
        self.assertAlmostEqual(seconds, 0.125)
        self.assertIsNone(recording.rows["2,2"][1])

    def test_failures_of_every_form_have_no_time(self):
        for entry in ({"time": "CompilationFailedConfig"}, {"time": 1.0, "__error__": "RuntimeFailedConfig"}, {},
                      {"time": None}, {"time": math.nan}):
            self.assertIsNone(traces.time_ms(entry), entry)
        self.assertEqual(traces.time_ms({"time": 2}), 2)

    def test_new_configurations_count_against_the_budget_also_if_they_fail(self):
        budget = Budget(3)
        runner = traces.ReplayRunner(traces.Recording(self.path), budget, "failed")
        options = {"tune_params": {"x": [], "y": []}}
        results = runner.run([[3, 2], [3, 2], [2, 2], [1, 6], [4, 1], [5, 1]], options)
        self.assertEqual([result and result.get("time") for result in results], [2.0, 2.0, None, None, 1.5, None])
        self.assertEqual(results[2]["__error__"], "failed")  # Recorded as failed.
        self.assertEqual(results[3]["__error__"], "failed")  # Not of the space: costs nothing.
        self.assertIsNone(results[5])  # Past the budget.
        self.assertEqual([time for time, _ in runner.trace], [2.0, None, 1.5])
        self.assertAlmostEqual(runner.trace[-1][1], 0.375)
        self.assertAlmostEqual(budget.seconds, 0.375)

    def test_a_strategy_that_only_repeats_itself_is_ended(self):
        runner = traces.ReplayRunner(traces.Recording(self.path), Budget(3), "failed")
        with self.assertRaises(traces.RunEnded):
            runner.run([[3, 2]] * (3 * traces.CALLS_PER_EVALUATION + 1), {"tune_params": {"x": [], "y": []}})

    def test_finished_runs_are_kept_and_an_interrupted_one_is_removed(self):
        path = self.folder / "out.csv"
        self.assertEqual(traces.finished_runs(path), set())
        rows = traces.HEADER + "\n" + traces.format_trace("pso", "small", 1, [(1.0, 0.5), (None, 1.0)])
        path.write_text(rows + traces.format_trace("pso", "small", 2, [(1.0, 0.5), (2.0, 1.0)])[:-3])
        self.assertEqual(traces.finished_runs(path), {("kernel_tuner:pso", "small", "1")})
        self.assertEqual(path.read_text(), rows)
        self.assertIn("kernel_tuner:pso,small,1,1,1000000.0,0.500000\nkernel_tuner:pso,small,1,2,,1.000000\n", rows)
        path.write_text("other\n")
        self.assertRaises(ValueError, traces.finished_runs, path)

    def test_the_first_repeats_of_everything_come_first(self):
        order = [(name, recording, repeat) for name, _, recording, repeat in
                 traces.plan([("a", 3, 9), ("b", 1, 9)], ["r", "s"], 2)]
        self.assertEqual(order, [("a", "r", 1), ("a", "r", 2), ("a", "s", 1), ("a", "s", 2), ("b", "r", 1), ("b", "s", 1),
                                 ("a", "r", 3), ("a", "s", 3)])

    def test_a_strategy_has_limits_of_its_own(self):
        self.assertEqual(traces.parse_strategy("pso", 30, 200), ("pso", 30, 200))
        self.assertEqual(traces.parse_strategy("bayes_opt:15:100", 30, 200), ("bayes_opt", 15, 100))
        for text in ("pso:0", "pso:1:2:3", "pso:x", "swarm"):
            self.assertRaises(ValueError, traces.parse_strategy, text, 30, 200)

    def test_bad_input_ends_with_exit_code_2(self):
        for arguments in ((self.folder / "none.json.gz",), (self.path, "--strategies", "swarm"), (self.path, "--seconds", "0")):
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2, result.stderr)

    @unittest.skipIf(INSTALLED, "Kernel Tuner is installed")
    def test_without_kernel_tuner_it_says_what_to_install(self):
        result = self.run_script(self.path)
        self.assertEqual(result.returncode, 3)
        self.assertIn("pip install kernel-tuner", result.stderr)

    @unittest.skipUnless(INSTALLED, "needs Kernel Tuner (pip install kernel-tuner)")
    def test_every_strategy_runs_repeats_itself_exactly_and_continues(self):
        output = self.folder / "out.csv"
        arguments = [self.path, "--evaluations", "20", "--output", output]
        result = self.run_script(*arguments, "--repeats", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        first = output.read_text()
        self.assertEqual(self.run_script(*arguments, "--repeats", "2").returncode, 0)
        self.assertTrue(output.read_text().startswith(first))
        runs = {}
        for line in output.read_text().splitlines()[1:]:
            strategy, _, repeat, evaluation, objective, _ = line.split(",")
            runs.setdefault((strategy, repeat), []).append((int(evaluation), objective))
        self.assertEqual(len(runs), 2 * len(traces.STRATEGIES))
        for key, rows in runs.items():
            self.assertEqual([number for number, _ in rows], list(range(1, len(rows) + 1)), key)
            self.assertLessEqual(len(rows), 20, key)
        again = self.run_script(self.path, "--evaluations", "20", "--repeats", "1")
        self.assertEqual(again.stdout, first)

    @unittest.skipUnless(INSTALLED, "needs Kernel Tuner (pip install kernel-tuner)")
    def test_recorded_seconds_end_a_run(self):
        result = self.run_script(self.path, "--strategies", "pso:1", "--seconds", "1")
        self.assertEqual(len(result.stdout.splitlines()), 1 + 9, result.stdout)  # The first past the limit, 0.125 s each.


if __name__ == "__main__":
    unittest.main()
