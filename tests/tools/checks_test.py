#!/usr/bin/env python3
"""Each structural check passes on a good tree and fails on a bad one."""

import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_no_private_words  # noqa: E402
import clang_tidy  # noqa: E402


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, script, *arguments):
        done = subprocess.run([sys.executable, str(HERE / script), "--root", str(self.root), *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def assert_fails(self, script, word, *arguments):
        code, output = self.run_check(script, *arguments)
        self.assertEqual(code, 1, output)
        self.assertIn(word, output)

    def assert_passes(self, script, *arguments):
        code, output = self.run_check(script, *arguments)
        self.assertEqual(code, 0, output)
        return output


class KernelFormat(Tree):
    SOURCE = "/* warptune\n[kernel]\nname    =   'k'\n*/\n// A comment%s\n__global__ void k(int* a) { a[0] = 1; }\n"

    def setUp(self):
        super().setUp()
        self.write(".clang-format", (HERE.parents[1] / ".clang-format").read_text())
        self.write("kernels/.clang-format", "BasedOnStyle: InheritParentConfig\nReflowComments: false\n")

    def test_formatted_sources_of_120_columns_pass(self):
        self.write("kernels/k.cu", self.SOURCE % ("." * 108))
        self.write("kernels/e.toml", 'title = "%s"\n' % ("x" * 110))
        self.assert_passes("check_kernel_format.py")

    def test_a_line_of_121_columns_fails(self):
        for name, line in (("e.toml", 'title = "%s"' % ("x" * 111)), ("k.cu", "/* warptune\n%s */" % ("x" * 118)),
                           ("k.cuh", "/* %s */" % ("x" * 115))):
            with self.subTest(name=name):
                self.write(f"kernels/{name}", line + "\n")
                self.assert_fails("check_kernel_format.py", f"kernels/{name}:{line.count(chr(10)) + 1}: 121 columns")
                (self.root / "kernels" / name).unlink()

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is missing")
    def test_code_that_is_not_formatted_fails(self):
        for name in ("k.cu", "k.cuh"):
            with self.subTest(name=name):
                self.write(f"kernels/{name}", "__global__ void k(int *a){ a[0]=1; }\n")
                self.assert_fails("check_kernel_format.py", f"kernels/{name}: is not formatted")
                (self.root / "kernels" / name).unlink()


class Layers(Tree):
    def bad(self, name, include, word):
        with self.subTest(name=name, include=include):
            self.write(name, f"#pragma once\n#include {include}\n")
            self.assert_fails("check_layers.py", word)
            (self.root / name).unlink()

    def test_nothing_includes_the_python_package_and_only_it_includes_nanobind(self):
        self.bad("library/x.h", '"python/native/bindings.h"', "library may not include python")
        self.bad("tuner/x.h", "<nanobind/nanobind.h>", "tuner may not include nanobind")
        self.write("python/native/x.h", '#pragma once\n#include <nanobind/nanobind.h>\n#include "tuner/session/tuning.h"\n')
        self.assert_passes("check_layers.py")

    def test_includes_along_the_arrows_pass(self):
        self.write("tuner/session.cpp", '#include "db/store.h"\n#include "profiling/gpu.h"\n#include <vector>\n')
        self.write("db/storage/statement.h", "#include <sqlite3.h>\n")
        self.write("tests/db/statement_test.cpp", '#include "db/storage/statement.h"\n')
        self.assert_passes("check_layers.py")

    def test_includes_against_the_arrows_fail(self):
        self.bad("model/space.h", '"search/strategy.h"', "model may not include search")
        self.bad("search/strategy.h", '"db/store.h"', "search may not include db")
        self.bad("base/hash.cpp", '"model/space.h"', "base may not include model")
        self.bad("kernel_templates/library.cpp", '"search/strategy.h"', "kernel_templates may not include search")
        self.bad("db/store.cpp", '"kernel_templates/library.h"', "db may not include kernel_templates")
        self.bad("profiling/gpu.cpp", '"db/store.h"', "profiling may not include db")

    def test_a_third_party_header_in_a_public_header_or_a_foreign_module_fails(self):
        self.bad("profiling/gpu.h", "<cuda.h>", "public header")
        self.bad("db/store.h", "<sqlite3.h>", "public header")
        self.bad("tuner/html_report/report_data.h", "<nlohmann/json.hpp>", "public header")
        self.bad("tuner/commands/options.h", "<boost/program_options.hpp>", "public header")
        self.bad("search/strategy.cpp", "<cuda.h>", "search may not include cuda.h")
        self.bad("db/store.cpp", "<cupti_range_profiler.h>", "db may not include")

    def test_another_modules_private_header_fails(self):
        self.bad("tuner/session.cpp", '"db/storage/statement.h"', "private to db")
        self.bad("tests/tuner/session_test.cpp", '"db/storage/statement.h"', "private to db")
        self.bad("tuner/session.cpp", '"profiling/timing/launch_timer.h"', "private to profiling")
        self.write("tuner/session.cpp", '#include "profiling/timing/racing.h"\n')
        self.assert_passes("check_layers.py")

    def test_folders_that_include_each_other_in_a_circle_fail(self):
        self.write("tuner/session/plan.h", '#include "tuner/gpus/choice.h"\n#include "tuner/session/finals/best.h"\n')
        self.write("tuner/session/finals/best.h", '#include "tuner/session/plan.h"\n')
        self.write("tuner/gpus/choice.h", '#include "tuner/workers/link.h"\n')
        self.assert_passes("check_layers.py")
        self.write("tuner/workers/link.h", '#include "tuner/session/plan.h"\n')
        self.assert_fails("check_layers.py", "in a circle: ")

    def test_an_include_relative_to_its_folder_fails(self):
        self.write("base/hash.h")
        self.bad("base/hash.cpp", '"hash.h"', "repository's root")

    def test_installed_headers_include_each_other_by_their_names(self):
        self.write("library/include/warptune.h")
        self.write("library/include/more.h", '#include "warptune.h"\n')
        self.assert_passes("check_layers.py")


class Namespaces(Tree):
    def bad(self, name, text, word):
        with self.subTest(name=name, text=text):
            self.write(name, text)
            self.assert_fails("check_namespaces.py", word)
            (self.root / name).unlink()

    def test_a_folders_namespace_and_those_within_pass(self):
        self.write("profiling/timing/race.h", "namespace warptune::profiling::timing {\nint race();\n}  // namespace warptune\n")
        self.write("profiling/timing/names.h", "namespace warptune::profiling::timing::names {\nint a;\n}  // namespace warptune\n")
        self.write("tests/profiling/timing/race_test.cpp", "namespace warptune::profiling::timing {\nint a;\n}\n")
        self.write("db/store.h", "namespace warptune::db::storage {\nclass Row;\n}  // namespace\n\nnamespace warptune::db {\nint a;\n}\n")
        self.assert_passes("check_namespaces.py")

    def test_another_folders_namespace_fails(self):
        self.write("db/storage/rows.h")
        self.bad("profiling/timing/race.h", "namespace warptune::profiling {\nint race();\n}\n", "race.h:1: namespace warptune::profiling,")
        self.bad("db/store.h", "namespace warptune::db::storage {\nclass Row;\nint a;\n}\n", "store.h:1: ")
        self.bad("tests/db/store_test.cpp", "namespace warptune::model {\nint a;\n}\n", "store_test.cpp:1: ")

    def test_a_folder_of_more_sources_than_thirty_fails(self):
        for number in range(30):
            self.write(f"db/row_{number}.cpp")
        self.assert_passes("check_namespaces.py")
        self.write("db/row_30.cpp")
        self.assert_fails("check_namespaces.py", "db: 31 sources")


class TypedOptions(Tree):
    PARSE = ("namespace {\nOptions declare_show() {\n  return Options(\"show\");\n}\n}  // namespace\n"
             "ShowOptions parse_show(\n    const Arguments& arguments) {\n  Options options = declare_show();\n}\n")

    def bad(self, name, text, word):
        with self.subTest(name=name, text=text):
            self.write(name, text)
            self.assert_fails("check_typed_options.py", word)
            (self.root / name).unlink()

    def test_options_in_a_parse_function_and_typed_fields_elsewhere_pass(self):
        self.write("tuner/commands/show_command.cpp", '#include "tuner/commands/options.h"\n' + self.PARSE +
                   "int show(const ShowOptions& options) {\n  return options.top;  // Options are parsed.\n}\n")
        self.write("tuner/commands/show_command.h", '#include "tuner/commands/command.h"\nstruct ShowOptions {};\n')
        self.write("bench/racing.cpp", '#include "tuner/commands/options.h"\n')
        self.assert_passes("check_typed_options.py")

    def test_options_in_code_that_runs_a_command_fail(self):
        self.bad("tuner/commands/show_command.cpp", self.PARSE + "int show(const Options& options) {\n}\n", "cpp:10: ")
        self.bad("tuner/commands/show_command.cpp", self.PARSE + "class Rows {\n  const Options& options_;\n};\n", "Rows")
        self.bad("tuner/commands/show_command.cpp", "int run_show() {\n  Options options(1);\n}\n", "run_show")

    def test_options_in_a_header_or_outside_the_command_line_fail(self):
        self.bad("tuner/commands/show_command.h", "int show(const Options& options);\n", "show_command.h:1")
        self.bad("tuner/knowledge/known_rows.h", '#include "tuner/commands/options.h"\n', "known_rows.h:1")
        self.bad("tuner/text_output/report.cpp", '#include "tuner/commands/option_groups.h"\n', "report.cpp:1")


class TextOutput(Tree):
    def test_text_that_is_escaped_passes(self):
        self.write("tuner/text_output/terminal.cpp", 'std::fputs("\\r\\x1b[2K", stream);\n')
        self.write("base/log.cpp", 'spdlog::warn("{}", printable(message));\n')
        self.write("tuner/commands/show_command.cpp", 'print_out("{}\\n", name);  // Not fmt::print.\ntext = std::snprintf(a, 1, "");\n')
        self.write("bench/rates.cpp", 'fmt::print("{}", rate);\n')
        self.assert_passes("check_text_output.py")

    def test_text_that_is_not_escaped_fails(self):
        for line in ('fmt::print("{}", name);', "std::cout << name;", "#include <iostream>", 'std::printf("%s", name);',
                     "fputs(name, stderr);", 'spdlog::info("{}", name);', 'text = "\\x1b[31m";'):
            with self.subTest(line=line):
                self.write("tuner/text_output/report.cpp", "\n" + line + "\n")
                self.assert_fails("check_text_output.py", "tuner/text_output/report.cpp:2: ")


class Plurals(Tree):
    def test_a_noun_from_the_helper_and_a_number_out_of_several_pass(self):
        self.write("tuner/text.cpp", 'base::counted(count, "row");\nfmt::format("{} of {} rows, one of the {} runs", a, b, c);\n'
                                     'count == 1 ? "this row" : "these rows";\n')
        self.assert_passes("check_plurals.py")

    def test_a_plural_that_does_not_depend_on_its_number_fails(self):
        for line in ('fmt::format("{} configurations", count);', 'fmt::format("{:.0f} launches of it", count);',
                     'fmt::format("{} pass{}", count, count == 1 ? "" : "es");', 'fmt::format("{} other{}", n, n == 1 ? "" : "s");'):
            with self.subTest(line=line):
                self.write("tuner/text.cpp", "\n" + line + "\n")
                self.assert_fails("check_plurals.py", "tuner/text.cpp:2: ")


class Includes(Tree):
    def test_a_name_needs_its_header_in_the_file_or_in_a_header_of_the_project(self):
        self.write("base/text.h", "#pragma once\n#include <string>\nstd::string text();\n")
        self.write("base/text.cpp", '#include "base/text.h"\nstd::string text() { return "std::vector<int>"; }  // std::map<\n')
        self.assert_passes("check_includes.py")
        self.write("model/value.cpp", '#include "base/text.h"\nstd::vector<std::string> values;\n')
        self.assert_fails("check_includes.py", "model/value.cpp: uses std::vector< and includes <vector> nowhere")
        self.write("model/value.cpp", '#include <vector>\n#include "base/text.h"\nstd::vector<std::string> values;\n')
        self.assert_passes("check_includes.py")

    def test_a_header_includes_what_declares_each_name_of_the_standard_library(self):
        self.write("base/text.h", "#pragma once\n#include <vector>\nstd::vector<std::uint64_t> numbers();\n")
        self.assert_fails("check_includes.py", "base/text.h: uses std::uint64_t and includes <cstdint> nowhere")
        self.write("base/text.h", "#pragma once\n#include <cstdint>\n#include <vector>\nstd::vector<std::uint64_t> numbers();\n")
        self.assert_passes("check_includes.py")
        self.write("base/text.h", "#pragma once\nstd::osyncstream stream();\n")
        self.assert_fails("check_includes.py", "no table of this check says which header declares std::osyncstream")

    def test_a_source_needs_the_definition_of_a_type_that_its_header_only_declares(self):
        self.write("base/forms.h", "#pragma once\n#include <nlohmann/json_fwd.hpp>\nnlohmann::json form();\n")
        self.assert_passes("check_includes.py")
        self.write("base/forms.cpp", '#include "base/forms.h"\nnlohmann::json form() { return {}; }\n')
        self.assert_fails("check_includes.py", "base/forms.cpp: uses nlohmann::json and includes <nlohmann/json.hpp> nowhere")

    def test_a_header_beside_the_file_counts(self):
        self.write("tests/search/data.h", "#pragma once\n#include <map>\n")
        self.write("tests/search/data_test.cpp", '#include "data.h"\nstd::map<int, int> table;\n')
        self.assert_passes("check_includes.py")


class OwnMetrics(Tree):
    def test_a_literal_fails_and_the_constant_and_a_field_pass(self):
        self.write("model/own_metrics.h", '#pragma once\ninline constexpr const char* kPowerW = "power_w";\n')
        self.write("tuner/text_output/report.cpp", 'visit("power_w", reading.power_w);\nuse(own_metric::kPowerW);\n')
        self.assert_passes("check_own_metrics.py")
        self.write("tuner/text_output/report.cpp", 'counters["power_w"] = watts;\n')
        self.assert_fails("check_own_metrics.py", 'tuner/text_output/report.cpp:1: "power_w" is own_metric::kPowerW of model/own_metrics.h')
        self.write("tuner/text_output/report.cpp", 'visit("power_w", watts);\n')
        self.assert_fails("check_own_metrics.py", "tuner/text_output/report.cpp:1")


class Lists(Tree):
    def setUp(self):
        super().setUp()
        for folder, word, type_name in (("search/strategies", "strategy", "StrategyInfo"), ("db/formats", "format", "ExportFormat"),
                                        ("profiling/diagnosis/rules", "rule", "Rule"),
                                        ("survey/analysis/findings", "finding", "FindingRule")):
            self.write(f"{folder}/{word}_list.h", f"#define ALL({word.upper()}) \\\n  {word.upper()}(first) \\\n  {word.upper()}(second)\n")
            self.write(f"{folder}/first.cpp", f"{type_name} first_{word}() {{\n}}\n")
            self.write(f"{folder}/others.cpp", f"{type_name} second_{word}() {{ return {{}}; }}\nvoid third_{word}();\n")
        self.write("db/formats/recording_readers.cpp", '    RecordingFormat{"T4 results", "results", make_t4_reader},\n')
        self.write("db/formats/t4_reader.cpp", "std::unique_ptr<RowReader> make_t4_reader(const path& path) {\n}\n")

    def test_functions_and_lines_that_agree_pass(self):
        self.assert_passes("check_lists.py")

    def test_a_function_without_its_line_fails(self):
        for name, function, word in (("search/strategies/third.cpp", "StrategyInfo third_strategy() {", "STRATEGY(third)"),
                                     ("db/formats/third.cpp", "ExportFormat third_format() {", "FORMAT(third)"),
                                     ("profiling/diagnosis/rules/third.cpp", "Rule third_rule() {", "RULE(third)"),
                                     ("survey/analysis/findings/third.cpp", "FindingRule third_finding() {", "FINDING(third)")):
            with self.subTest(name=name):
                self.write(name, f"\n{function}\n}}\n")
                self.assert_fails("check_lists.py", f"{name}:2: ")
                self.assert_fails("check_lists.py", word)
                (self.root / name).unlink()

    def test_a_reader_that_is_not_in_the_table_fails(self):
        self.write("db/formats/other_reader.cpp", "\nstd::unique_ptr<RowReader> make_other_reader(const path& path) {\n}\n")
        self.assert_fails("check_lists.py", "db/formats/other_reader.cpp:2: make_other_reader is not in the table")

    def test_a_line_without_its_function_or_twice_and_a_list_that_is_gone_fail(self):
        (self.root / "db/formats/first.cpp").unlink()
        self.assert_fails("check_lists.py", "FORMAT(first) has no function first_format()")
        self.write("search/strategies/strategy_list.h", "  STRATEGY(first)\n  STRATEGY(second)\n  STRATEGY(first)\n")
        self.assert_fails("check_lists.py", "STRATEGY(first) stands twice")
        (self.root / "profiling/diagnosis/rules/rule_list.h").unlink()
        self.assert_fails("check_lists.py", "rule_list.h: is not there")


class ClangTidy(unittest.TestCase):
    def test_sources_that_define_one_name_twice_are_not_of_one_batch(self):
        texts = {"a.cpp": "namespace {\n\nstd::optional<int> check(int x) {\n  return x;\n}\n\n}  // namespace\n",
                 "b.cpp": "namespace {\n\nconstexpr int kMuch = 1;\nbool check() {\n}\n\n}  // namespace\n",
                 "c.cpp": "namespace {\n\nstruct Much {\n  int check();\n};\n\n}  // namespace\n"}
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in texts]
            for path in paths:
                path.write_text(texts[path.name])
            self.assertEqual([clang_tidy.names_of(path) for path in paths], [{"check"}, {"kMuch", "check"}, {"Much"}])
            self.assertEqual(clang_tidy.batches_of(paths, 2), [[paths[0], paths[2]], [paths[1]]])
            self.assertEqual(clang_tidy.batches_of(paths, 1), [[path] for path in paths])
            together = {paths[0]: "unity_0", paths[1]: "unity_0", paths[2]: "unity_1"}
            self.assertEqual(clang_tidy.batches_of(paths, 2, None, together), [[paths[0], paths[1]], [paths[2]]])
            flags = {paths[0]: ["-g"], paths[1]: ["-g"], paths[2]: ["-fno-exceptions"]}
            self.assertEqual(clang_tidy.batches_of(paths, 2, flags), [[path] for path in paths])

    def test_the_same_name_in_two_namespaces_is_not_the_same(self):
        text = "namespace warptune::{0} {{\nnamespace {{\n\nbool check() {{\n}}\n\n}}  // namespace\n}}  // namespace warptune::{0}\n"
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("a.cpp", "b.cpp", "c.cpp")]
            for path, name in zip(paths, ("db", "tuner", "db")):
                path.write_text(text.format(name))
            self.assertEqual(clang_tidy.names_of(paths[0]), {"warptune::db::check"})
            self.assertEqual(clang_tidy.batches_of(paths, 3), [paths[:2], [paths[2]]])

    def test_flags_lose_output_and_precompiled_headers_and_keep_the_rest(self):
        command = ("ccache clang++ -DA=1 -I/root -isystem /usr/x -O1 -Wall -fsanitize=address -std=c++20 -Xclang -include-pch "
                   "-Xclang a.pch -Xclang -include -Xclang a.hxx -o a.o -c a.cpp")
        self.assertEqual(clang_tidy.flags_of(command), ["-DA=1", "-I/root", "-isystem", "/usr/x", "-Wall", "-std=c++20"])

    def test_a_batch_that_fails_is_halved_and_single_sources_decide(self):
        calls = []

        def tidy(source, flags, folder):
            names = [line.split('"')[1] for line in source.read_text().splitlines()] if source.parent == folder else [source.name]
            calls.append(names)
            return not ({"bad.cpp"} & set(names) or {"a.cpp", "c.cpp"} <= set(names)), f"error: {names}"

        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(clang_tidy, "tidy", tidy), \
                contextlib.redirect_stdout(io.StringIO()):
            paths = [pathlib.Path(text) for text in ("a.cpp", "b.cpp", "c.cpp", "bad.cpp")]
            flags = {path: ["-isystem", "x"] for path in paths}
            self.assertEqual(clang_tidy.check("batch", paths[:3], flags, pathlib.Path(name)), [])
            self.assertEqual(clang_tidy.check("batch", paths, flags, pathlib.Path(name)), ["error: ['bad.cpp']"])
        self.assertIn(["a.cpp", "b.cpp"], calls)


class TestsRegistered(Tree):
    def test_a_registered_file_passes_and_another_fails(self):
        self.write("tests/db/CMakeLists.txt", "warptune_add_test(db SOURCES store_test.cpp)\n# lookup_test.cpp\n")
        self.write("tests/db/store_test.cpp")
        self.assert_passes("check_tests_registered.py")
        self.write("tests/db/lookup_test.cpp")
        self.assert_fails("check_tests_registered.py", "lookup_test.cpp")

    def test_a_longer_name_does_not_register_a_shorter_one(self):
        self.write("tests/db/CMakeLists.txt", "warptune_add_test(db SOURCES big_store_test.cpp)\n")
        self.write("tests/db/big_store_test.cpp")
        self.write("tests/db/store_test.cpp")
        self.assert_fails("check_tests_registered.py", "store_test.cpp")


class SourcesTested(Tree):
    def test_a_source_has_a_test_of_its_name_or_a_line_that_names_a_wider_one(self):
        self.write("model/space.cpp")
        self.write("model/space.h")
        self.write("tests/model/space_test.cpp")
        self.assert_passes("check_sources_tested.py")
        self.write("model/expressions/cell.cpp")
        self.assert_fails("check_sources_tested.py", "model/expressions/cell.cpp: no tests/model/cell_test.cpp")
        self.write("tests/profiling/cell_test.cpp")  # Another module's.
        self.assert_fails("check_sources_tested.py", "model/expressions/cell.cpp")
        self.write("tests/tools/wider_tests.txt", "# those\nmodel/expressions/cell.cpp: tests/model/space_test.cpp\n")
        self.assert_passes("check_sources_tested.py")

    def test_sources_of_the_tuner_and_of_the_python_package_have_tests_too(self):
        for source, test in (("tuner/text_output/report.cpp", "tests/tuner/text_output/report_test.cpp"),
                             ("python/native/sessions.cpp", "tests/python/sessions_test.py"),
                             ("python/warptune/results.py", "tests/python/results_test.py"),
                             ("python/warptune/compat/kernel_tuner/tuning.py", "tests/python/kernel_tuner_tuning_test.py")):
            with self.subTest(source=source):
                self.write(source)
                self.write("tests/python/tuning_test.py")  # That of python/warptune/tuning.py.
                self.assert_fails("check_sources_tested.py", f"{source}: no ")
                self.write("tests/tools/wider_tests.txt", f"{source}: {test}\n")
                self.assert_fails("check_sources_tested.py", "which is no test")
                (self.root / "tests/tools/wider_tests.txt").unlink()
                self.write(test)
                self.assert_passes("check_sources_tested.py")

    def test_a_folder_covers_what_has_no_nearer_line_and_a_header_alone_is_a_source(self):
        self.write("tests/search/strategies/strategy_test.cpp")
        self.write("search/strategies/random.cpp")
        self.write("search/strategies/auto.cpp")
        self.write("tests/tools/wider_tests.txt", "search/strategies/: tests/search/strategies/strategy_test.cpp\n")
        self.assert_passes("check_sources_tested.py")
        self.write("search/table.h")
        self.assert_fails("check_sources_tested.py", "search/table.h")

    def test_a_line_for_a_missing_file_or_for_a_source_with_its_own_test_fails(self):
        self.write("model/space.cpp")
        self.write("tests/model/space_test.cpp")
        for line, word in (("model/space.cpp: tests/model/space_test.cpp", "needs no line"),
                           ("search/gone.cpp: tests/model/space_test.cpp", "needs no line")):
            self.write("tests/tools/wider_tests.txt", line + "\n")
            self.assert_fails("check_sources_tested.py", word)
        self.write("search/cell.cpp")
        for tests in ("tests/search/gone_test.cpp", "model/space.cpp", ""):
            self.write("tests/tools/wider_tests.txt", f"search/cell.cpp: {tests}\n")
            self.assert_fails("check_sources_tested.py", "is no test")

    def test_a_file_left_out_of_coverage_needs_a_reason_and_must_exist(self):
        self.write("profiling/driver/launcher.cpp")
        self.write("tests/profiling/launcher_test.cpp")
        self.write("tests/tools/gpu_files.txt", "profiling/driver/launcher.cpp: launches\n")
        self.assert_passes("check_sources_tested.py")
        for line in ("profiling/driver/launcher.cpp:", "profiling/driver/gone.cpp: launches"):
            self.write("tests/tools/gpu_files.txt", line + "\n")
            self.assert_fails("check_sources_tested.py", "is not there, or has no reason")


class FileLengths(Tree):
    def test_a_long_file_needs_a_reason(self):
        self.write("base/long.cpp", "\n" * 501)
        self.assert_fails("check_file_lengths.py", "base/long.cpp")
        self.write("tests/tools/long_files.txt", "base/long.cpp:\n")
        self.assert_fails("check_file_lengths.py", "base/long.cpp")
        self.write("tests/tools/long_files.txt", "base/long.cpp: one table\n")
        self.assert_passes("check_file_lengths.py")

    def test_a_source_of_a_module_has_fewer_lines_than_other_files(self):
        self.write("base/medium.cpp", "\n" * 300)
        self.assert_passes("check_file_lengths.py")
        self.write("base/medium.cpp", "\n" * 301)
        self.assert_fails("check_file_lengths.py", "base/medium.cpp: 301 lines; past 300")

    def test_a_stale_entry_fails_and_a_medium_file_is_only_reported(self):
        self.write("tests/base/medium.cpp", "\n" * 400)
        self.assertIn("400 lines", self.assert_passes("check_file_lengths.py"))
        self.write("tests/tools/long_files.txt", "tests/base/medium.cpp: was longer\n")
        self.assert_fails("check_file_lengths.py", "need not be listed")
        self.write("tests/tools/long_files.txt", "base/gone.cpp: one table\n")
        self.assert_fails("check_file_lengths.py", "there is no base/gone.cpp")


class PrivateWords(Tree):
    def test_the_path_of_the_checkout_and_a_home_folder_fail(self):
        self.write("docs/a.md", "open ~/work/notes and http://example.com/home/page\n")
        self.assert_passes("check_no_private_words.py")
        self.write("docs/b.md", f"see {check_no_private_words.ROOT}/docs\n")
        self.assert_fails("check_no_private_words.py", "docs/b.md:1")
        self.write("docs/b.md", "\nsee /home/" + "alice/notes\n")
        self.assert_fails("check_no_private_words.py", "docs/b.md:2")

    def test_a_compressed_recording_is_searched(self):
        self.write("plain", f"host {check_no_private_words.ROOT}\n")
        packed = self.root / "recordings.zst"
        try:
            subprocess.run(["zstd", "-q", str(self.root / "plain"), "-o", str(packed)], check=True)
        except FileNotFoundError:
            self.skipTest("no zstd program")
        (self.root / "plain").unlink()
        self.assert_fails("check_no_private_words.py", "recordings.zst:1")


if __name__ == "__main__":
    unittest.main()
