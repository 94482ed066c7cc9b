#!/usr/bin/env python3
"""tests/tools/build_times.py on a made-up log of ninja."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "build_times.py"
# Start and end in ms, a time stamp, an output, and a number for the command.
LOG = """# ninja log v5
0	4000	1	base/CMakeFiles/wt_base.dir/clock.cpp.o	a
0	9000	1	old/CMakeFiles/wt_base.dir/text.cpp.o	b
9000	11000	1	old/CMakeFiles/wt_base.dir/text.cpp.o	c
11000	14000	1	/build/tests/base_tests	d
11000	14000	1	tests/base_tests	d
11000	14000	1	tests/base_tests[1]_tests.cmake	d
"""


class BuildTimes(unittest.TestCase):
    def test_a_job_with_several_outputs_counts_once_and_only_its_last_run(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, ".ninja_log").write_text(LOG)
            lines = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(lines[0].split()[0], "9.0")
        self.assertEqual([line.split() for line in lines[1:3]], [["6.0", "s", "wt_base"], ["3.0", "s", "links,", "copies,", "lists", "of", "tests"]])
        self.assertIn(["3.0", "s", "tests/base_tests"], [line.split() for line in lines[4:]])


if __name__ == "__main__":
    unittest.main()
