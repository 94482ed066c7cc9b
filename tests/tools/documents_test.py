#!/usr/bin/env python3
"""Each check of the documents passes on good pages and fails on bad ones."""

import unittest

from checks_test import Tree


class DocumentedPaths(Tree):
    def test_a_link_or_a_named_file_that_is_not_there_fails(self):
        self.write("docs/design.md", "[up](../README.md), [site](https://example.com/a.md), `and/or`\n")
        self.write("README.md", "[design](docs/design.md#words), `docs/design.md`\n```\n`base/none.h`\n```\n")
        self.assert_passes("check_documented_paths.py")
        self.write("README.md", "[design](docs/gone.md)\n")
        self.assert_fails("check_documented_paths.py", "docs/gone.md")
        self.write("README.md", "see\n`docs/gone.h`\n")
        self.assert_fails("check_documented_paths.py", "README.md:2")

    def test_a_placeholder_stands_for_a_file_and_its_folder_must_be_there(self):
        self.write("docs/page.md")
        self.write("README.md", "`docs/NAME.md`\n")
        self.assert_passes("check_documented_paths.py")
        self.write("README.md", "`docs/gone/NAME.md`\n")
        self.assert_fails("check_documented_paths.py", "docs/gone")

    def test_a_name_of_the_code_that_no_source_mentions_fails_but_in_what_tells_history(self):
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
        self.assert_passes("run_documented_commands.py", "--program", str(self.root / "program"))

    def test_a_failing_command_fails(self):
        self.page("text\n\n```console\n$ warptune 0\n$ warptune 2\n```\n")
        self.assert_fails("run_documented_commands.py", "README.md:3: exit code 2", "--program", str(self.root / "program"))

    def test_an_unknown_program_and_a_block_with_no_command_fail(self):
        self.page("```sh\nno-such-program\n```\n")
        self.assert_fails("run_documented_commands.py", "exit code 127", "--program", str(self.root / "program"))
        self.page("```console\nwarptune\n```\n")
        self.assert_fails("run_documented_commands.py", "no command", "--program", str(self.root / "program"))

    def test_a_marker_skips_or_names_the_exit_code(self):
        self.page("<!-- needs a GPU -->\n```console\n$ warptune 1\n```\n"
                  "<!-- exit code 2 -->\n\n```console\n$ warptune 2\n```\n```toml\nfalse\n```\n")
        output = self.assert_passes("run_documented_commands.py", "--program", str(self.root / "program"))
        self.assertIn("not run", output)

    def test_the_wrong_exit_code_and_a_hang_fail(self):
        self.page("<!-- exit code 2 -->\n```sh\nwarptune 0\n```\n")
        self.assert_fails("run_documented_commands.py", "expected 2", "--program", str(self.root / "program"))
        self.page("```sh\nsleep 20\n```\n")
        self.assert_fails("run_documented_commands.py", "still running", "--limit-s", "0.5", "--program",
                          str(self.root / "program"))


if __name__ == "__main__":
    unittest.main()
