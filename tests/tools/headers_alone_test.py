#!/usr/bin/env python3
"""warptune_add_header_check builds with good headers, and fails with a header that needs the includes of another."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from repository import ROOT

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(headers LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{modules}")
include(WarptuneHeaderCheck)
add_library(here INTERFACE)
target_include_directories(here INTERFACE "${{CMAKE_SOURCE_DIR}}")
warptune_add_header_check(headers_alone ROOT "${{CMAKE_SOURCE_DIR}}" FOLDERS base LIBRARIES here)
"""
GOOD = "#pragma once\n#include <string>\nstruct Good { std::string text; };\n"


class HeadersAlone(unittest.TestCase):
    def test_a_header_that_needs_includes_of_another_or_lacks_a_guard_fails(self):
        self.check([])

    def test_without_clang_the_compiler_of_the_build_finds_the_same(self):
        self.check(["-DWARPTUNE_HEADER_COMPILER="])

    def check(self, options):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "base" / "detail").mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(PROJECT.format(modules=ROOT / "cmake"))
            (root / "base" / "good.h").write_text(GOOD)
            self.assertEqual(self.build(root, options), 0, "one good header")
            (root / "base" / "detail" / "leaning.h").write_text("#pragma once\nstruct Leaning { std::string text; };\n")
            self.assertNotEqual(self.build(root, options), 0, "a header without its include")
            (root / "base" / "detail" / "leaning.h").write_text(GOOD.replace("#pragma once\n", ""))
            self.assertNotEqual(self.build(root, options), 0, "a header without a guard")
            (root / "base" / "detail" / "leaning.h").unlink()
            self.assertEqual(self.build(root, options), 0, "the bad one removed")

    def build(self, root, options):
        configure = ["cmake", "-S", root, "-B", root / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}", *options]
        subprocess.run(configure, check=True, capture_output=True)
        build = ["cmake", "--build", root / "build", "--target", "headers_alone"]
        return subprocess.run(build, capture_output=True).returncode


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1)
    unittest.main()
