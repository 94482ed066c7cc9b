#!/usr/bin/env python3
"""sources_alone.py passes over a batch of good sources and fails on one that needs the includes of another in its batch."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(sources LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(here STATIC base/first.cpp base/second.cpp)
set_target_properties(here PROPERTIES UNITY_BUILD ON)
"""
TOOL = pathlib.Path(__file__).with_name("sources_alone.py")


class SourcesAlone(unittest.TestCase):
    def test_a_source_that_leans_on_the_one_before_it_fails(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "base").mkdir()
            (root / "CMakeLists.txt").write_text(PROJECT)
            (root / "base" / "first.cpp").write_text("#include <string>\nstd::string first() { return {}; }\n")
            (root / "base" / "second.cpp").write_text("#include <string>\nstd::string second() { return {}; }\n")
            self.assertEqual(self.check(root), 0, "good sources")
            (root / "base" / "second.cpp").write_text("std::string second() { return {}; }\n")
            self.assertNotEqual(self.check(root), 0, "a source without its include")

    def check(self, root):
        configure = ["cmake", "-S", root, "-B", root / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}"]
        subprocess.run(configure, check=True, capture_output=True)
        subprocess.run(["cmake", "--build", root / "build"], check=True, capture_output=True)
        return subprocess.run([sys.executable, TOOL, root / "build", "--root", root], capture_output=True).returncode


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1)
    unittest.main()
