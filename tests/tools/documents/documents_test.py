#!/usr/bin/env python3
"""Each check of the documents passes on good pages and fails on bad ones."""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks_test import HERE, Tree  # noqa: E402


class DocumentedPaths(Tree):
    def test_a_link_or_a_name_of_a_missing_file_fails(self):
        self.write("docs/design.md", "[up](../README.md), [site](https://example.com/a.md), `and/or`\n")
        self.write("README.md", "[design](docs/design.md#words), `docs/design.md`\n```\n`base/none.h`\n```\n")
        self.assert_passes("check_documented_paths.py")
        self.write("README.md", "[design](docs/gone.md)\n")
        self.assert_fails("check_documented_paths.py", "docs/gone.md")
        self.write("README.md", "see\n`docs/gone.h`\n")
        self.assert_fails("check_documented_paths.py", "README.md:2")

    def test_a_placeholder_stands_for_a_file_and_its_folder_must_exist(self):
        self.write("docs/page.md")
        self.write("README.md", "`docs/NAME.md`\n")
        self.assert_passes("check_documented_paths.py")
        self.write("README.md", "`docs/gone/NAME.md`\n")
        self.assert_fails("check_documented_paths.py", "docs/gone")

    def test_a_name_of_the_code_that_no_source_mentions_fails_except_in_pages_about_the_past(self):
        self.write("db/store.h", "class StoredRow { void add_row(); };\n")
        self.write("README.md", "`StoredRow::add_row`, `add_row()`, `StoredRow`, `NAME_row`, `word`, `a = b_c`\n")
        self.assert_passes("check_documented_paths.py")
        for name in ("StoredRow::drop_row", "drop_row", "RowStore"):
            with self.subTest(name=name):
                self.write("README.md", f"`{name}`\n")
                self.assert_fails("check_documented_paths.py", f"README.md:1: no source mentions {name}")
        self.write("README.md")
        self.write("CHANGELOG.md", "`drop_row`\n")
        self.assert_passes("check_documented_paths.py")


class DocsIndex(Tree):
    def setUp(self):
        super().setUp()
        self.write("docs/index.md", "[a](page.md), [kernels](kernels/index.md)\n")
        self.write("docs/page.md", "# A page\n## Two `words`, here\n## Again\n## Again\n")
        self.write("docs/kernels/index.md", "[sgemm](sgemm.md)\n")
        self.write("docs/kernels/sgemm.md", "[up](../page.md#two-words-here), [again](../page.md#again-1)\n")
        self.write("README.md", "[site](https://example.com/#none), [here](#a-heading)\n# A heading\n")

    def test_pages_that_their_index_lists_and_links_to_headings_pass(self):
        self.assert_passes("check_docs_index.py")

    def test_a_page_that_its_index_does_not_list_fails(self):
        self.write("docs/other.md")
        self.assert_fails("check_docs_index.py", "docs/other.md: docs/index.md does not list it")
        self.write("docs/index.md", "[a](page.md), [other](other.md), [kernels](kernels/index.md)\n")
        self.write("docs/kernels/scan.md")
        self.assert_fails("check_docs_index.py", "docs/kernels/scan.md: docs/kernels/index.md does not list it")

    def test_a_folder_whose_index_is_missing_or_not_listed_fails(self):
        self.write("docs/lab/stride.md")
        self.assert_fails("check_docs_index.py", "docs/lab has neither index.md nor README.md")
        self.write("docs/lab/README.md", "[stride](stride.md)\n")
        self.assert_fails("check_docs_index.py", "docs/lab/README.md: docs/index.md does not list it")

    def test_a_link_to_a_missing_heading_fails_except_in_code(self):
        self.write("README.md", "```\n[here](#gone)\n# A heading\n```\n")
        self.assert_passes("check_docs_index.py")
        for link in ("[here](#a-heading)", "[a](docs/page.md#again-2)"):
            with self.subTest(link=link):
                self.write("README.md", f"```\n# A heading\n```\n{link}\n")
                self.assert_fails("check_docs_index.py", "README.md:4: ")


class KernelIndex(Tree):
    PROGRAM = """#!/bin/sh
case "$*" in
  list*) echo '{"kernels": [{"kernel": "copy", "description": "c = a"}]}' ;;
  *json) cat "$2" ;;
  *) echo "<svg/>" ;;
esac
"""
    SUBJECT = ('{"workloads": [{"kernel": "copy", "gpu": {"name": "NVIDIA X1"}, "problem": {"N": 4, "dtype": "f32"}, "best": 0, "default": 1,'
               ' "roof_time_ns": 150, "binding_roof": "memory", "rows": {"time_ns": [200, 1234567]}}]}')

    def setUp(self):
        super().setUp()
        self.write("program", self.PROGRAM)
        (self.root / "program").chmod(0o755)
        self.write("recordings/copy.wtrec.zst", self.SUBJECT)
        self.assertEqual(self.make()[0], 0)

    def make(self, *arguments):
        command = [sys.executable, str(HERE.parents[1] / "scripts/kernel-index"), "--program", str(self.root / "program")]
        done = subprocess.run([*command, "--root", str(self.root), *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_the_index_has_the_recorded_times_and_its_pictures(self):
        page = (self.root / "docs/kernels/index.md").read_text()
        self.assertIn("| [copy](copy.md) | 1.23 ms | 0.200 us | 6172.84 | 75 % (memory) |", page)
        self.assertIn("holds 2 configurations of one problem on one GPU, NVIDIA X1", page.replace("\n", " "))
        self.assertIn("Recorded for `N=4`, `dtype=f32`", page)
        self.assertEqual((self.root / "docs/images/kernels/copy.svg").read_text(), "<svg/>\n")
        self.assertEqual(self.make("--check"), (0, ""))

    def test_a_page_or_picture_that_is_not_what_it_would_write_fails_the_check(self):
        for name in ("docs/kernels/index.md", "docs/images/kernels/copy.svg", "docs/images/kernels/gone.svg"):
            with self.subTest(name=name):
                self.write(name, "old")
                code, output = self.make("--check")
                self.assertEqual(code, 1)
                self.assertIn(f"{name}: is not what scripts/kernel-index writes now", output)
                self.make()
                self.assertEqual(self.make("--check"), (0, ""))


class DocumentedCommands(Tree):
    def setUp(self):
        super().setUp()
        self.write("program", "#!/bin/sh\necho \"$@\" >> \"$HOME/calls\"\nexit ${1:-0}\n")
        (self.root / "program").chmod(0o755)

    def page(self, text):
        self.write("README.md", text)

    def test_blocks_run_in_order_in_one_home(self):
        self.page("```console\n$ warptune\n0 kernels\n$ warptune 0 \\\n    b\n```\n"
                  "```sh\ntest \"$(wc -l < ~/calls)\" = 2\ngrep -x '0 b' ~/calls\ntest -e program\n```\n")
        self.assert_passes("documents/run_documented_commands.py", "--program", str(self.root / "program"))

    def test_a_failing_command_fails(self):
        self.page("text\n\n```console\n$ warptune 0\n$ warptune 2\n```\n")
        self.assert_fails("documents/run_documented_commands.py", "README.md:3: exit code 2", "--program", str(self.root / "program"))

    def test_an_unknown_program_and_a_block_with_no_command_fail(self):
        self.page("```sh\nno-such-program\n```\n")
        self.assert_fails("documents/run_documented_commands.py", "exit code 127", "--program", str(self.root / "program"))
        self.page("```console\nwarptune\n```\n")
        self.assert_fails("documents/run_documented_commands.py", "no command", "--program", str(self.root / "program"))

    def test_a_marker_skips_or_names_the_exit_code(self):
        self.page("<!-- needs a GPU -->\n```console\n$ warptune 1\n```\n"
                  "<!-- exit code 2 -->\n\n```console\n$ warptune 2\n```\n```toml\nfalse\n```\n")
        output = self.assert_passes("documents/run_documented_commands.py", "--program", str(self.root / "program"))
        self.assertIn("not run", output)

    def test_the_wrong_exit_code_and_a_hang_fail(self):
        self.page("<!-- exit code 2 -->\n```sh\nwarptune 0\n```\n")
        self.assert_fails("documents/run_documented_commands.py", "expected 2", "--program", str(self.root / "program"))
        self.page("```sh\nsleep 20\n```\n")
        self.assert_fails("documents/run_documented_commands.py", "still running", "--limit-s", "0.5", "--program",
                          str(self.root / "program"))


if __name__ == "__main__":
    unittest.main()
