#!/usr/bin/env python3
"""warptune_add_header_check builds with right headers, and fails with a header that needs another before it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import ROOT  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(headers LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{modules}")
include(WarptuneHeaderCheck)
add_library(here INTERFACE)
target_include_directories(here INTERFACE "${{CMAKE_SOURCE_DIR}}")
warptune_add_header_check(headers_alone ROOT "${{CMAKE_SOURCE_DIR}}" FOLDERS base LIBRARIES here)
"""
GOOD = """#pragma once
#include <memory>
#include <optional>
#include <string>
#define GOOD_SIZE 3
struct Good { std::string text; };
inline std::optional<Good> maybe_good() { return Good{}; }
inline void drop(std::unique_ptr<Good> good) { good.reset(); }
inline bool is_good(const Good& good) { return good.text.empty(); }
"""
# Each header of this table has what it needs only if another header was included before it.
LEANING = {
    "a type of the standard library": "#pragma once\nstruct Leaning { std::string text; };\n",
    "a type": "#pragma once\nstruct Leaning { Good good; };\n",
    "a definition of a declared type": "#pragma once\nstruct Good;\nstruct Leaning { Good good; };\n",
    "a definition of a declared type, which a template needs": """#pragma once
#include <optional>
struct Good;
struct Leaning { std::optional<Good> good; };
""",
    "a definition of a declared type, which a function of a template needs": """#pragma once
#include <memory>
struct Good;
inline void forget(std::unique_ptr<Good> good) { good.reset(); }
""",
    "a function": "#pragma once\nstruct Good;\ninline bool is_leaning(const Good& good) { return is_good(good); }\n",
    "a function that is found by its argument": """#pragma once
struct Good;
template <class Value> bool ask(const Value& value) { return is_good(value); }
inline bool is_leaning(const Good& good) { return ask(good); }
""",
    "a macro": "#pragma once\ninline int leaning[GOOD_SIZE];\n",
    "a macro of a condition": "#pragma once\n#ifndef GOOD_SIZE\n#error no size\n#endif\n",
    "a header of the C library": "#pragma once\n#include <string>\ninline int leaning() { return POLLIN; }\n",
    "a guard": "struct Leaning {};\n",
    "a guard around all of its code": "#ifndef LEANING_H\n#define LEANING_H\n#endif\nstruct Leaning {};\n",
}
RIGHT = {
    "its includes": '#pragma once\n#include <memory>\n#include "base/good.h"\ninline int right(std::unique_ptr<Good>) { return GOOD_SIZE; }\n',
    "the include of a header beside it": '#pragma once\n#include "beside.h"\ninline int right = BESIDE;\n',
    "a guard of another kind": "#ifndef RIGHT_H\n#define RIGHT_H\n#if 1\nstruct Right {};\n#endif\n#endif  // RIGHT_H\n",
    "a declaration alone": "#pragma once\nstruct Good;\nbool is_right(const Good& good);\n",
}


class HeadersAlone(unittest.TestCase):
    def test_a_header_that_needs_another_before_it_or_lacks_a_guard_fails(self):
        self.check([])

    def test_without_clang_the_compiler_of_the_build_finds_the_same(self):
        self.check(["-DWARPTUNE_HEADER_COMPILER="])

    def check(self, options):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "base" / "detail").mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(PROJECT.format(modules=ROOT / "cmake"))
            good = root / "base" / "good.h"
            good.write_text(GOOD)
            (root / "base" / "a_system.h").write_text("#pragma once\n#include <poll.h>\ninline short a_flag = POLLIN;\n")
            (root / "base" / "detail" / "beside.h").write_text("#pragma once\n#define BESIDE 1\n")
            self.configure(root, options)
            tried = root / "base" / "detail" / "tried.h"
            for what, text in RIGHT.items():
                tried.write_text(text)
                self.assertEqual(self.build(root), "", f"a header with {what}")
            for what, text in LEANING.items():
                tried.write_text(text)
                self.assertIn("base/detail/tried.h", self.build(root), f"a header without {what}")
            tried.write_text(RIGHT["its includes"])
            self.assertEqual(self.build(root), "", "the bad one corrected")
            good.write_text(GOOD.replace("GOOD_SIZE", "OTHER_SIZE"))
            self.assertIn("base/detail/tried.h", self.build(root), "a header whose include no longer has what it needs")
            tried.unlink()
            self.assertEqual(self.build(root), "", "the bad one removed")

    def configure(self, root, options):
        command = ["cmake", "-S", root, "-B", root / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}", *options]
        subprocess.run(command, check=True, capture_output=True)

    def build(self, root):
        """What a failed build says; nothing if all headers are right."""
        command = ["cmake", "--build", root / "build", "--target", "headers_alone"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode else ""


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1)
    unittest.main()
