#!/usr/bin/env python3
"""Pages of results match the data, wrong data is reported, and new runs are written into the data."""

import datetime
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

RESULTS = ROOT / "bench" / "results"
sys.path.insert(0, str(RESULTS))
import record_run  # noqa: E402
import render  # noqa: E402
import topics  # noqa: E402
import writing  # noqa: E402

INDEX = """title = "Results"
text = "What is measured."
topics = ["rates"]
[machines]
gpu = "one GPU"
"""
RATES = """title = "Rates"
what = "Rows a second."
columns = ["what", "rate", "goal"]
wide = ["goal"]
[sources.run]
command = "bench --all"
commit = "0123abc"
date = 2026-11-22
machine = "gpu"
[[rows]]
cells = ["fast", ["2.50", "2.1", "3"], "2"]
[[rows]]
detail = true
cells = ["slow", "1", ""]
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/results.md", "")
        self.write("bench/results/page.toml", INDEX)
        self.write("bench/results/rates.toml", RATES)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def render(self):
        """The exit code of render.py, and what it said."""
        done = subprocess.run([sys.executable, str(RESULTS / "render.py"), "--root", str(self.root)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def assert_reported(self, old, new, word, text=RATES):
        """With `old` replaced by `new` in the data the check says a line with `word`."""
        self.assertIn(old, text)
        self.write("bench/results/rates.toml" if text is RATES else "bench/results/page.toml", text.replace(old, new))
        self.assertIn(word, "\n".join(render.find_problems(self.root)))


class Pages(Tree):
    def test_the_headline_page_leaves_out_details_and_the_full_page_has_them(self):
        self.assertEqual(self.render(), (0, ""))
        page, full = ((self.root / name).read_text() for name in (render.PAGE, render.FULL_PAGE))
        self.assertIn("| fast | 2.50 (2.1 to 3) |\n", page)
        self.assertNotIn("slow", page)
        self.assertIn("| fast | 2.50 (2.1 to 3) | 2 |\n| slow | 1 |  |\n", full)

    def test_a_page_names_the_command_commit_date_and_machine_of_each_run(self):
        self.render()
        page = (self.root / render.PAGE).read_text()
        self.assertIn("Rows a second. Run 1.", page)
        self.assertIn("| 1 | `bench --all` | 0123abc | 2026-11-22 | gpu |", page)

    def test_each_row_names_its_run_if_there_are_several_runs(self):
        more = '[[rows]]\nsource = "run"\n'
        self.write("bench/results/rates.toml", RATES.replace("[[rows]]\ncells", more + "cells").replace("detail = true", 'source = "new"')
                   + '[sources.new]\ncommand = "x"\ncommit = "fedcba9"\ndate = 2026-11-22\nmachine = "gpu"\n')
        self.render()
        page = (self.root / render.PAGE).read_text()
        self.assertIn("| slow | 1 | 2 |\n", page)
        self.assertIn("| 2 | `x` | fedcba9 |", page)

    def test_a_page_that_is_not_what_the_data_gives_is_reported(self):
        self.render()
        self.assertEqual(list(render.find_problems(self.root)), [])
        page = self.root / render.PAGE
        page.write_text(page.read_text().replace("2.50", "2.51"))
        self.assertEqual(len(list(render.find_problems(self.root))), 1)
        self.assertIn("is not what", "".join(render.find_problems(self.root)))
        page.unlink()
        self.assertIn("is not what", "".join(render.find_problems(self.root)))

    def test_a_headline_page_of_201_lines_is_reported_and_a_full_page_is_not(self):
        self.write("bench/results/rates.toml", RATES + '[[rows]]\ncells = ["more", "1", "1"]\n' * 185)
        code, said = self.render()
        lines = len((self.root / render.PAGE).read_text().splitlines())
        self.assertEqual((code, lines > 200), (1, True))
        self.assertEqual(said, f"docs/results.md: {lines} lines, 200 are allowed; give rows or topics `detail = true`\n")

    def test_a_line_that_is_too_wide_is_reported(self):
        self.assert_reported('"fast"', '"' + "f" * 150 + '"', "columns, 145 are allowed")


class Data(Tree):
    def test_a_run_without_command_commit_date_or_machine_is_reported(self):
        for line in ('command = "bench --all"\n', 'commit = "0123abc"\n', "date = 2026-11-22\n", 'machine = "gpu"\n'):
            with self.subTest(line=line):
                self.assert_reported(line, "", f"source run: has no {line.split(' ')[0]}")
        self.assert_reported('command = "bench --all"', 'command = ""', "command is empty")
        self.assert_reported("date = 2026-11-22", 'date = "yesterday"', "date must be a date")
        self.assert_reported("0123abc", "now", "now is no commit")
        self.assert_reported('machine = "gpu"', 'machine = "mine"', "machine mine is not in page.toml")

    def test_a_row_without_a_run_or_with_an_unknown_one_is_reported(self):
        second = '[sources.two]\ncommand = "x"\ncommit = "fedcba9"\ndate = 2026-11-22\nmachine = "gpu"\n[[rows]]\ncells'
        self.assert_reported("[[rows]]\ncells", second, "row 1: has no source")
        self.assert_reported("detail = true", 'source = "none"', "row 2: there is no source none")

    def test_cells_that_are_missing_or_no_median_of_their_range_are_reported(self):
        self.assert_reported('"slow", "1", ""', '"slow", "1"', "row 2: has 2 cells for 3 columns")
        self.assert_reported('"2.50", "2.1", "3"', '"2.0", "2.1", "3"', "row 1: cell 2 is not median, lowest, highest")
        self.assert_reported('"2.50", "2.1", "3"', '"2.50", "2.1"', "row 1: cell 2 is neither text nor three numbers")
        self.assert_reported('"2.50", "2.1", "3"', '"2.50", "x", "3"', "row 1: cell 2 has a part that is no number")
        self.assert_reported('"slow"', '"s | l"', "row 2: cell 1 has a line break or a |")

    def test_unknown_keys_unused_names_and_unlisted_files_are_reported(self):
        self.assert_reported("title", "headline", "headline is no known key")
        self.assert_reported('wide = ["goal"]', 'wide = ["aim"]', "wide names aim, which is no column")
        self.assert_reported('wide = ["goal"]', 'notes = ["notes/x.md"]', "there is no docs/notes/x.md")
        unused = '[sources.two]\ncommand = "x"\ncommit = "fedcba9"\ndate = 2026-11-22\nmachine = "gpu"\n'
        self.assert_reported("[[rows]]\ndetail", unused + '[[rows]]\nsource = "run"\ndetail', "no row is of source two")
        self.write("bench/results/rates.toml", RATES)
        self.assert_reported("[machines]", '[machines]\nother = "unused"', "nothing was measured on machine other", INDEX)
        self.write("bench/results/page.toml", INDEX)
        self.write("bench/results/more.toml", RATES)
        self.assertIn("more.toml: is not among the topics", "".join(render.find_problems(self.root)))

    def test_data_that_is_not_toml_or_is_missing_is_reported(self):
        self.assert_reported('title = "Rates"', "title =", "bench/results: ")
        (self.root / "bench/results/rates.toml").unlink()
        self.assertIn("rates.toml", "".join(render.find_problems(self.root)))

    def test_a_date_that_is_not_the_commits_is_reported(self):
        def git(*command):
            identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
            done = subprocess.run(["git", "-C", str(self.root), *identity, *command], capture_output=True, text=True, check=True,
                                  env={"PATH": "/usr/bin:/bin", "GIT_COMMITTER_DATE": "2026-11-21T12:00:00+0000"})
            return done.stdout.strip()
        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "first")
        commit = git("log", "-1", "--format=%h")
        self.assert_reported("0123abc", commit, f"commit {commit} is of 2026-11-21, not of 2026-11-22")


class Writing(unittest.TestCase):
    SOURCE = {"command": 'bench "x"', "commit": "fedcba9", "date": datetime.date(2026, 11, 23), "machine": "gpu"}

    def test_written_topics_are_read_back_unchanged(self):
        for path in sorted(RESULTS.glob("*.toml")):
            if path.name != topics.INDEX:
                with self.subTest(path=path.name):
                    topic = topics.read_topic(path)
                    self.assertEqual(path.read_text(), writing.to_toml(topic))
                    self.assertEqual(tomllib.loads(writing.to_toml(topic)), topic)

    def test_a_run_replaces_its_rows_and_drops_sources_without_rows(self):
        topic = tomllib.loads(RATES)
        half = writing.with_run(topic, "new", self.SOURCE, [["fast", "3", "2"], ["other", "5", "2"]], 1)
        self.assertEqual([row["cells"][:2] for row in half["rows"]], [["fast", "3"], ["slow", "1"], ["other", "5"]])
        self.assertEqual([row.get("detail", False) for row in half["rows"]], [False, True, True])
        self.assertEqual([row["source"] for row in half["rows"]], ["new", "run", "new"])
        self.assertEqual(list(half["sources"]), ["run", "new"])
        whole = writing.with_run(half, "new", self.SOURCE, [["slow", "2", "2"]], 1)
        self.assertEqual(list(whole["sources"]), ["new"])
        self.assertEqual(topic, tomllib.loads(RATES))

    def test_rows_of_another_run_keep_their_source_where_the_names_are_the_same(self):
        topic = writing.with_run(tomllib.loads(RATES), "run", self.SOURCE, [["slow", "2", "2"]], 1)
        self.assertEqual([row["source"] for row in topic["rows"]], ["run", "run-fedcba9"])
        self.assertEqual([topic["sources"][name]["commit"] for name in ("run", "run-fedcba9")], ["0123abc", "fedcba9"])


class Recording(unittest.TestCase):
    """What scripts print becomes the rows that the data has."""

    def rows(self, name, *texts):
        topic = topics.read_topic(RESULTS / f"{name}.toml")
        return record_run.recorded(name, topic, texts, Writing.SOURCE)["rows"], topic["rows"]

    def test_sessions_that_tune_printed(self):
        note = (ROOT / "docs/notes/first-tunes.md").read_text()
        texts = re.findall(r"\$ warptune tune \w+ --budget 60s\n(.*?)```", note, re.DOTALL)
        self.assertEqual(len(texts), 4)
        new, old = self.rows("tuning", *texts)
        self.assertEqual([row["cells"] for row in new], [row["cells"] for row in old])
        self.assertEqual({row["source"] for row in new}, {"run"})
        with self.assertRaisesRegex(SystemExit, "no session"):
            self.rows("tuning", "error: no GPU")

    def test_the_table_of_the_libraries(self):
        line = ("| sgemm | M=512 N=512 K=512 | 9.75 | 27.5 TFLOP/s | 41.5 | 30.1 | cuBLAS 13.1.0 Sgemm, pedantic math | 14.0 "
                "| 1.436 (1.430 to 1.440) | 0.95 x | yes |\n")
        new, old = self.rows("libraries", "NVIDIA H200, driver 13.0\n\n| kernel | problem |\n|---|---|\n" + line)
        self.assertEqual(len(new), len(old))
        changed = [after for after, before in zip(new, old) if after["cells"] != before["cells"]]
        self.assertEqual([row["cells"] for row in changed], [[
            "sgemm", "M=512 N=512 K=512", "9.75", "41.5", "27.5 TFLOP/s", "30.1", "cuBLAS", "cuBLAS 13.1.0 Sgemm, pedantic math",
            "14.0", ["1.436", "1.430", "1.440"], "0.95 x", "yes"]])
        self.assertTrue(changed[0]["detail"])

    def test_times_to_the_first_measurement(self):
        text = ("seconds, median of 5 (lowest to highest); ratio of medians to old\n"
                "  sgemm          first measurement, empty home    0.70 (0.60 to 0.80)        1.00  old\n"
                "  sgemm          first measurement, empty home    0.50 (0.40 to 0.60)        0.71  new\n"
                "  sgemm          whole session, empty home        2.50 (2.40 to 2.60)        0.90  new\n")
        new, _ = self.rows("start", text)
        self.assertIn(["sgemm", "empty", ["0.50", "0.40", "0.60"], "1.2", ["2.50", "2.40", "2.60"]], [row["cells"] for row in new])

    def test_cpu_times_of_commands(self):
        text = ("  query, 1000000 rows          CPU   0.013 (0.012 to 0.019)     wall   0.020 (0.018 to 0.030)     \n"
                "  explain, recording           CPU   0.440 (0.410 to 0.480)     wall   0.500 (0.400 to 0.600)       first run 2.6 s CPU\n")
        text += ("  explain, empty cache         CPU   2.600 (2.500 to 2.700)     wall   3.000 (2.900 to 3.100)     \n"
                 "  query --objective, 1000000 rows  CPU   0.310 (0.300 to 0.320)     wall   0.400 (0.400 to 0.500)     \n")
        new, old = self.rows("answers", text)
        changed = [after["cells"] for after, before in zip(new, old) if after["cells"] != before["cells"]]
        self.assertEqual(changed, [["`query`, a million rows", ["0.013", "0.012", "0.019"]],
                                   ["`explain` of a recording of `sgemm`, once compiled", ["0.440", "0.410", "0.480"]],
                                   ["the same, with an empty compile cache", ["2.600", "2.500", "2.700"]],
                                   ["`query --objective` of a product with a counter, a million rows", ["0.310", "0.300", "0.320"]]])
        self.assertEqual(len(new), len(old))

    def test_what_the_programs_of_the_python_package_print(self):
        calls = ("form                        median           quartiles  over RawKernel\n"
                 "CuPy RawKernel             2.50 us     2.45 to  2.60 us           1.00x\n"
                 "fn(tensors)                1.20 us     1.15 to  1.30 us           0.48x\n"
                 "fn(tensors, stream=)       1.40 us     1.35 to  1.45 us           0.56x\n")
        rest = ("ok       test_the_code_of_the_page_runs (9.1 s)\n12 lines, {'BLOCK': 256}\nmedian of the pairs' ratios: 0.991\n"
                "import warptune, wall time    31.5 ms (31.0 to 33.2)\nwithin 2 %: warptune / Kernel Tuner = 0.123\n"
                "whole call: warptune / Kernel Tuner = 0.456\ntest.py   ran\n1 broken, 2 needs, 24 ran, 3 refused, 6 unfinished\n")
        new, old = self.rows("python", calls, rest)
        before = {row["source"] for row in old}
        cells = {row["cells"][0]: row["cells"][1] for row in new if row["source"] not in before}
        self.assertEqual(cells, {
            "lines from nothing to a tuned kernel that is called on a tensor": "12",
            "`import warptune`, wall time, ms": ["31.5", "31.0", "33.2"],
            "host time of `fn(tensors)` over CuPy's `RawKernel`": "0.48",
            "configurations a second through Python over the command line": "0.991",
            "Kernel Tuner's CUDA examples, by the changed import": "1 broken, 2 needs, 24 ran, 3 refused, 6 unfinished",
            "wall time to within 2 % of the best, over Kernel Tuner's": "0.123"})

    def test_a_ratio_to_a_program_that_did_not_end_is_a_bound(self):
        new, _ = self.rows("python", "within 2 %: warptune / Kernel Tuner < 0.115\n")
        self.assertIn(["wall time to within 2 % of the best, over Kernel Tuner's", "below 0.115", "at most 0.2"], [row["cells"] for row in new])

    def test_output_without_rows_is_rejected(self):
        with self.assertRaisesRegex(SystemExit, "nothing of libraries was printed"):
            self.rows("libraries", "no table")


if __name__ == "__main__":
    unittest.main()
