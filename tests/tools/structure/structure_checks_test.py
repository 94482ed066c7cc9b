#!/usr/bin/env python3
"""The checks of functions, folders and documented lists pass on a good tree and fail on a bad one."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks_test import Tree  # noqa: E402


class FunctionLengths(Tree):
    def long_function(self, head, lines, indent=""):
        return head + "".join(f"{indent}  use({i});\n" for i in range(lines)) + indent + "}\n"

    def test_a_function_of_61_lines_fails_wherever_it_is_declared(self):
        for head, indent in (("int f() {\n", ""), ("template <class T>\nvoid f(T first,\n       T second) {\n", ""), ("  int f() const {\n", "  "),
                             ("Space::Space(int a)\n    : a_(a) {\n", "")):
            with self.subTest(head=head):
                text = "namespace warptune::base {\n\nclass A {\n public:\n};\n\n"
                inner = 60 - head.count("\n")
                self.write("base/a.cpp", text + self.long_function(head, inner - 1, indent))
                self.assert_passes("structure/check_function_lengths.py")
                self.write("base/a.cpp", text + self.long_function(head, inner, indent))
                self.assert_fails("structure/check_function_lengths.py", "base/a.cpp:7: a function of 61 lines")

    def test_a_method_in_its_class_is_measured_alone_and_texts_tables_and_tests_are_no_functions(self):
        methods = "".join(self.long_function(f"  int f{i}() {{\n", 30, "  ") for i in range(3))
        self.write("base/a.h", "class A {\n public:\n" + methods + "};\n")
        self.write("base/b.cpp", 'const char* const kText = R"t(\nvoid f() {\n' + "  x();\n" * 90 + '}\n)t";\n')
        self.write("base/c.cpp", "constexpr std::array<int (*)(), 9> kTable = {\n" + "    {f},\n" * 90 + "};\n")
        self.write("tests/base/d_test.cpp", self.long_function("TEST(A, B) {\n", 90))
        self.assert_passes("structure/check_function_lengths.py")
        self.write("base/a.h", "class A {\n public:\n" + self.long_function("  int f() {\n", 60, "  ") + "};\n")
        self.assert_fails("structure/check_function_lengths.py", "base/a.h:3")


class Rooms(Tree):
    PAGE = ("| module | holds | must not know |\n|---|---|---|\n| `base/` | files | |\n| `tests/` | tests | |\n\n| folder | holds |\n|---|---|\n"
            "| `db/formats/` | exports (`inner/`: parts) |\n| `db/storage/`, `rows/` | SQLite |\n")

    def setUp(self):
        super().setUp()
        self.write("docs/design.md", self.PAGE)
        for folder in ("base", "db/formats", "db/formats/inner", "db/storage", "db/rows"):
            self.write(f"{folder}/a.cpp")
        self.write("tests/a_test.cpp")

    def test_folders_and_rows_that_agree_pass(self):
        self.assert_passes("structure/check_rooms.py")

    def test_a_folder_without_a_row_fails(self):
        self.write("db/formats/other/a.h")
        self.assert_fails("structure/check_rooms.py", "db/formats/other: no row")

    def test_a_row_without_its_folder_fails(self):
        (self.root / "db/rows/a.cpp").unlink()
        (self.root / "db/rows").rmdir()
        self.assert_fails("structure/check_rooms.py", "docs/design.md:9: there is no folder db/rows")


class DocumentedLists(Tree):
    def setUp(self):
        super().setUp()
        self.write("search/strategies/strategy_list.h", "#define ALL(STRATEGY) \\\n  STRATEGY(random)\n")
        self.write("docs/search.md", "* `random` draws.\n")
        self.write("model/own_metrics.h", 'inline constexpr const char* kPowerW = "power_w";\n')
        self.write("docs/database.md", "### Counters\n| `power_w` | power |\n\n### Rows\n")
        self.write("tuner/commands/command.h", "#define ALL(COMMAND) \\\n  COMMAND(tune) \\\n  COMMAND(list)\n")
        self.write("docs/design.md", "## Command line\n```\nwarptune tune KERNEL\nwarptune db info | list\n```\n")

    def test_pages_that_name_everything_pass(self):
        self.assert_passes("structure/check_documented_lists.py")

    def test_what_a_page_leaves_out_or_names_elsewhere_fails(self):
        for page, text, word in (("docs/search.md", "random draws\n", "the strategy random of search/strategies/strategy_list.h"),
                                 ("docs/database.md", "### Counters\n\n### Rows\n`power_w`\n", "the metric power_w"),
                                 ("docs/design.md", "## Command line\nwarptune tuner\n| list\n", "the command tune"),
                                 ("docs/design.md", "warptune tune\n## Command line\n| list\n", "below '## Command line'")):
            with self.subTest(page=page, text=text):
                before = (self.root / page).read_text()
                self.write(page, text)
                self.assert_fails("structure/check_documented_lists.py", word)
                self.write(page, before)


class ExtremeNames(Tree):
    def test_majorities_and_maxima_pass(self):
        self.write("base/a.h", "constexpr int kMaxRows = 3;\nconstexpr double kMostlyOn = 0.9;\nconstexpr double kMostOfKernels = 0.5;\n")
        self.assert_passes("structure/check_extreme_names.py")

    def test_a_maximum_called_most_fails(self):
        for name in ("kMostRows", "kMost", "kFewestInRow", "kLeastShare"):
            with self.subTest(name=name):
                self.write("base/a.h", f"constexpr int {name} = 3;\n")
                self.assert_fails("structure/check_extreme_names.py", f"base/a.h:1: {name}")


class Nan(Tree):
    def test_code_without_nan_passes(self):
        self.write("base/a.h", "std::optional<double> median_ns;  // Not quiet_NaN.\nbool none = std::isnan(x);\n")
        self.write("tests/base/a_test.cpp", "const double none = std::numeric_limits<double>::quiet_NaN();\n")
        self.write("model/fields.h", "return std::numeric_limits<double>::quiet_NaN();\n")
        self.assert_passes("structure/check_nan.py")

    def test_each_way_to_make_one_fails(self):
        for text in ("std::numeric_limits<float>::quiet_NaN()", "NAN", 'std::nan("")', "nanf(text)"):
            with self.subTest(text=text):
                self.write("base/a.cpp", f"const double none = {text};\n")
                self.assert_fails("structure/check_nan.py", "base/a.cpp:1: makes a NaN")

    def test_a_file_that_makes_none_may_not_stay_in_the_list(self):
        self.write("model/fields.h", "constexpr double kOne = 1.0;\n")
        self.assert_fails("structure/check_nan.py", "model/fields.h: makes no NaN")


if __name__ == "__main__":
    unittest.main()
