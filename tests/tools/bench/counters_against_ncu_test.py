#!/usr/bin/env python3
"""bench/counters_against_ncu, with stand-ins for warptune and ncu."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

SCRIPT = ROOT / "bench" / "counters_against_ncu"
METRICS = ["gpu__time_duration.sum", "dram__bytes.sum", "sm__warps_active.avg.pct_of_peak_sustained_active",
           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "smsp__inst_executed.sum"]

WARPTUNE = """#!/usr/bin/env python3
import json, os, sys
state = json.load(open(os.environ["STATE"]))
if sys.argv[1] == "metrics":
    print(json.dumps([{"metric": name, "core": True, "full": True} for name in state["metrics"]] +
                     [{"metric": name, "core": False, "full": True} for name in state.get("more", ["x"])]))
elif sys.argv[1] == "show":
    print(json.dumps({"measurements": [{"status": "measured", "median_ns": 1000.0, "counters": state["counters"]}]}))
elif sys.argv[1] == "profile":
    row = {"status": "measured", "median_ns": 1000.0, "counters": state["counters"]}
    print("a warning on its way\\n" + json.dumps({"measurement": row}))
elif sys.argv[1] == "devices":
    print(json.dumps([{"memory_bandwidth_bytes_per_s": 1e9}]))
    sys.exit(state.get("devices", 0))
"""

# Writes what ncu's raw page looks like: messages, a header, units, a row for each launch, thousands with commas.
NCU = """#!/usr/bin/env python3
import csv, json, os, sys
state = json.load(open(os.environ["STATE"]))
arguments = sys.argv[1:]
names = arguments[arguments.index("--metrics") + 1].split(",")
with open(arguments[arguments.index("--log-file") + 1], "w") as log:
    log.write("==PROF== Connected to process 7\\n")
    writer = csv.writer(log, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", "Process ID", "Kernel Name", "Context"] + names)
    writer.writerow([""] * 4 + ["unit"] * len(names))
    for i, (function, values) in enumerate(state["launches"]):
        writer.writerow([i, 7, function, 1] + [values.get(name, "n/a") for name in names])
"""


class CountersAgainstNcu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in {"warptune": WARPTUNE, "ncu": NCU}.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        self.counters = dict(zip(METRICS, [1200.0, 1e6, 80.0, 2.0, 50000.0]))
        self.launch = dict(zip(METRICS, ["1,100", "1,000,000", "80.4", "0", "50,000"]))
        self.state = {"metrics": METRICS, "counters": self.counters, "launches": [["sgemm", self.launch]] * 5}

    def compare(self, kernel="sgemm", *more):
        (self.folder / "state").write_text(json.dumps(self.state))
        environment = dict(os.environ, STATE=str(self.folder / "state"), NCU=str(self.folder / "ncu"))
        return subprocess.run([SCRIPT, "--warptune", self.folder / "warptune", "--out", self.folder / "out", "--kernels",
                               kernel, *more], env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def test_agrees_within_the_tolerance_whatever_the_time_and_a_few_conflicts(self):
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"\n0 of \d+ ratios are off")
        self.assertRegex(result.stdout, r"gpu__time_duration.sum .* 1.0909  time, not judged")
        self.assertRegex(result.stdout, r"sm__warps_active\S+ +80.4 .* 0.9950\n")
        self.assertRegex(result.stdout, r"sgemm +none +1.10 +1.00 +1.20")

    def test_reports_differences_only_in_the_judged_cache_mode(self):
        self.counters["dram__bytes.sum"] = 1.05e6
        result = self.compare()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"dram__bytes.sum .* 1.0500  OFF")
        self.assertRegex(result.stdout, r"\n1 of \d+ ratios are off")
        self.assertEqual(self.compare("sgemm", "--cache", "none").returncode, 0)
        self.assertEqual(self.compare("sgemm", "--tolerance", "0.06").returncode, 0)

    def test_adds_the_launches_of_an_evaluation_and_does_not_judge_their_shares(self):
        part = dict(self.launch, **{"dram__bytes.sum": "200,000", "smsp__inst_executed.sum": "10"})
        part["sm__warps_active.avg.pct_of_peak_sustained_active"] = "3"
        self.state["launches"] = [["reduce_partials", part]] + [["reduction", self.launch], ["reduce_partials", part]] * 3
        self.state["launches"].append(["reduction", self.launch])  # The last evaluation was cut off.
        self.counters.update({"dram__bytes.sum": 1.2e6, "sm__warps_active.avg.pct_of_peak_sustained_active": 60.0})
        result = self.compare("reduction", "--cache", "all")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("3 evaluations of 2 launch(es)", result.stdout)
        self.assertRegex(result.stdout, r"dram__bytes.sum +1.2e\+06 .* 1.0000")

    def test_a_value_or_a_launch_that_is_missing_fails(self):
        del self.counters["dram__bytes.sum"]
        result = self.compare()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"dram__bytes.sum +missing in warptune")
        self.state["launches"] = []
        result = self.compare()
        self.assertEqual(result.returncode, 1)
        self.assertIn("and 0 launches", result.stdout)

    def test_compares_the_full_set_by_a_profile_and_allows_more_for_values_that_depend_on_time(self):
        more = {"lts__throughput.avg.pct_of_peak_sustained_elapsed": (52.0, "50"),
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": (52000.0, "50,000")}
        self.state["more"] = [*more, "compute_throughput_pct"]
        for name, (mine, theirs) in more.items():
            self.counters[name], self.launch[name] = mine, theirs
        result = self.compare("sgemm", "--set", "full", "--cache", "all")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stdout, r"lts__throughput\S+ +50 .* 1.0400\n")
        self.assertRegex(result.stdout, r"l1tex__t_requests\S+ +50000 .* 1.0400  OFF\n")
        self.assertNotIn("compute_throughput_pct", result.stdout)
        self.assertRegex(result.stdout, r"sgemm +\d+ +1  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\n")

    def test_says_when_there_is_no_gpu(self):
        self.state["devices"] = 3
        self.assertEqual(self.compare().returncode, 3)


if __name__ == "__main__":
    unittest.main()
