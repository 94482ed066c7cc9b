#!/usr/bin/env python3
"""The check of prose finds what it lists in each kind of file, and nothing in code."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_prose  # noqa: E402
from prose import passages  # noqa: E402
from checks_test import Tree  # noqa: E402

LONG = " ".join(["word"] * 60)


class Prose(Tree):
    def setUp(self):
        super().setUp()
        self.write("tests/tools/unwelcome_words.txt", "# A comment\nservants? | worker\n^of (?!course)\\S+ | the noun first | hard\n")

    def finds(self, name, text, word):
        with self.subTest(name=name, text=text):
            self.write(name, text)
            self.assert_fails("check_prose.py", word)
            (self.root / name).unlink()

    def passes(self, name, text):
        with self.subTest(name=name, text=text):
            self.write(name, text)
            self.assert_passes("check_prose.py")
            (self.root / name).unlink()


class Words(Prose):
    def test_a_word_of_the_list_fails_at_its_line_with_what_to_write_instead(self):
        self.finds("docs/a.md", "# Title\n\nTwo\nServants run.\n", 'docs/a.md:4: "servants": worker')
        self.finds("base/a.h", "int a;\n/// Starts a\n/// servant.\nint b;\n", "base/a.h:3: ")
        self.finds("base/a.h", "int a;  ///< Starts a\n        ///< servant.\n", "base/a.h:2: ")
        self.finds("base/a.cpp", "/* One\n * servant. */\n", "base/a.cpp:2: ")
        self.finds("kernel_templates/a.cu", "// The servant.\n", "a.cu:1: ")
        self.finds("kernel_templates/a.cu", '/* warptune\n[kernel]\ndescription = "a servant"\n*/\n', "a.cu:3: ")
        self.finds("kernel_templates/a.toml", 'about = """\nOne.\nA servant.\n"""\n', "a.toml:3: ")
        self.finds("kernel_templates/a.toml", "# A servant.\n", "a.toml:1: ")
        self.finds("kernel_templates/a.toml", 'because.holds = """\\\n  It takes {a @\\\n  .1f} servants of mine"""\n', "a.toml:3: ")
        self.finds("bench/a.py", '"""Starts\na servant."""\n', "bench/a.py:2: ")
        self.finds("bench/a.py", "a = 1  # The servant.\n", "bench/a.py:1: ")
        self.finds("bench/a", "#!/usr/bin/env python3\n# The servant.\n", "bench/a:2: ")
        self.finds("scripts/a", "#!/bin/sh\n# The servant.\n", "scripts/a:2: ")
        self.finds("cmake/a.cmake", "# The servant.\n", "a.cmake:1: ")
        self.finds("tuner/a.js", "// The servant.\n", "a.js:1: ")
        self.finds("library/a.hpp", "int a;  ///< The servant.\n", "a.hpp:1: ")
        self.finds("library/a.c", "/* The servant. */\n", "a.c:1: ")
        self.finds("python/a.pyi", 'def f() -> int:\n    """Starts a\n    servant."""\n', "a.pyi:3: ")

    def test_messages_and_help_are_searched_adjacent_literals_as_one(self):
        self.finds("tuner/a.cpp", 'fail("no more servants of mine");\n', "tuner/a.cpp:1: ")
        self.finds("tuner/a.cpp", 'fail("expected one "\n     "servant, found {}", 2);\n', "tuner/a.cpp:2: ")

        self.finds("tuner/a.cpp", 'print("two servants");\n', "tuner/a.cpp:1: ")

    def test_messages_of_the_python_package_are_searched_with_placeholders_for_values(self):
        self.finds("python/a.py", 'a = 1\nfail("no more servants of mine")\n', "python/a.py:2: ")
        self.finds("python/a.py", 'fail(f"expected one {a!r} of these "\n     f"servants, found {b:{c}d}")\n', "python/a.py:1: ")
        self.finds("python/a.py", f'fail("{LONG}")\n', "python/a.py:1: a sentence of 60 words, at most 25")
        self.finds("python/a.py", f'fail(f"{LONG} {{a}}")\n', "a sentence of 61 words")
        self.passes("python/a.py", 'fail("servant", f"{servant} of the one other", "x == servant and this is code")\n')
        self.passes("python/a.py", 'a = f"{f(servant):{servant}} and three more of them"\n')
        self.passes("bench/a.py", 'fail("no more servants of mine")\n')

    def test_code_addresses_and_names_are_not_prose(self):
        self.passes("docs/a.md", "`servant`, [link](servant.md), https://a.b/servant\n\n```\nservant\n```\n<!-- servant -->\n")
        self.passes("base/a.h", "int servant = f(\"servant\", 'a');\n#include \"base/servant.h\"\n/// As `servant` does.\n")
        self.passes("tuner/a.cpp", 'run("SELECT a FROM servant WHERE b = 1 ORDER BY c");\nauto a = R"(the servant of the house)";\n')
        self.passes("tuner/a.cpp", 'open("lib/servant", "servant", "a servant_{}");\n')
        self.passes("tests/base/a_test.cpp", 'write("one more servant of mine");\n')
        self.passes("kernel_templates/a.toml", 'value = "servant + servant + servant + servant"\nholds = "servant >= 1 && a <= 2"\n')
        self.passes("bench/a.py", 'a = "the servant # servant"\n')
        self.passes("scripts/a", '#!/bin/sh\necho "a # servant" ${servant#a}\n')
        self.passes("docs/kernels/a.md", "A page that warptune writes: servant.\n")

    def test_a_pattern_matches_whole_words_over_the_end_of_a_line(self):
        self.write("tests/tools/unwelcome_words.txt", "to be had | available\n")
        self.finds("docs/a.md", "It is to\nbe had.\n", "docs/a.md:1: ")
        self.passes("docs/a.md", "It is to be hadn. Onto be had\n\nto\n\nbe had\n")

    def test_a_pattern_for_the_beginning_of_a_sentence_matches_only_there(self):
        self.finds("base/a.h", "/// Of a row.\n", 'a.h:1: "of a": the noun first (hard)')
        self.finds("base/a.h", "/// One; of a row.\n", "a.h:1: ")
        self.passes("base/a.h", "/// The end of a row. Of course.\n")
        self.passes("tuner/a.cpp", 'text = name + " of the rows that fit";\n')


class Lengths(Prose):
    def test_a_sentence_that_is_too_long_fails_where_it_begins(self):
        self.finds("docs/a.md", f"One.\nTwo {LONG}.\n", "docs/a.md:2: a sentence of 61 words, at most 35: Two word word")
        self.finds("base/a.h", f"/// {LONG}\n", "at most 30")
        self.finds("tuner/a.cpp", f'fail("{LONG}");\n', "at most 25")

    def test_what_ends_a_sentence(self):
        def count(text):
            return [len(words) for passage in passages.paragraphs("page", 1, text) for _, words in check_prose.sentences(passage.text)]

        self.assertEqual(count("One two. Three (four.) Five! Six?"), [2, 2, 1, 1])
        self.assertEqual(count("One, e.g. two (J. Ansel) 1.5 a.b. Three"), [7, 1])
        self.assertEqual(count("One: two; three\nfour"), [4])
        self.assertEqual(count("# One two\nThree\n* four\n  five\n1. six\n\nseven\n"), [2, 1, 2, 1, 1])
        self.assertEqual(count("| one two | `a` three |\n|---|---|\n| 4 | five. six |\n"), [2, 2, 1, 1])
        self.assertEqual(count("One `a b c`, `d`, `e` two = - three"), [4])
        self.assertEqual(count("name  one two\n      three\nname  four"), [1, 3, 1, 1])

    def test_a_literals_line_breaks_end_sentences_and_placeholders_are_words(self):
        found = list(passages.of_cpp('print("one two {} three\\n" "four {{five}}");', True))
        self.assertEqual([[len(words) for _, words in check_prose.sentences(passage.text)] for passage in found], [[4], [2]])


class NotYet(Prose):
    def list(self, *places):
        self.write("tests/tools/prose_not_yet.txt", "# those\n" + "".join(place + "\n" for place in places))

    def test_a_place_that_is_listed_may_have_offenders(self):
        self.write("base/a.h", "// A servant.\n")
        self.write("base/more/a.h", "// A servant.\n")
        self.assert_fails("check_prose.py", "base/a.h:1")
        for places in (("base",), ("base/*", "base/more"), ("base/a.h", "base/more/a.h")):
            self.list(*places)
            self.assert_passes("check_prose.py")
        self.list("base/*")
        self.assert_fails("check_prose.py", "base/more/a.h:1")

    def test_a_place_without_offenders_must_leave_the_list(self):
        self.write("base/a.h", "// A worker.\n")
        for place in ("base", "base/a.h", "bas", "gone"):
            self.list(place)
            self.assert_fails("check_prose.py", f"prose_not_yet.txt: {place} has no offenders")

    def test_places_given_are_printed_whether_listed_or_not_and_a_report_counts(self):
        self.write("base/a.h", "// A servant.\n")
        self.write("docs/a.md", LONG + "\n")
        self.list("base", "docs/a.md")
        self.assert_fails("check_prose.py", "base/a.h:1", "base")
        self.assert_passes("check_prose.py", "model")
        report = self.assert_passes("check_prose.py", "--report").splitlines()
        self.assertIn(["1", "0", "1", "base"], [line.split() for line in report])
        self.assertIn(["0", "1", "1", "docs/a.md"], [line.split() for line in report])


class TheList(unittest.TestCase):
    def test_every_line_has_a_pattern_and_what_to_write_instead(self):
        entries = list(check_prose.unwelcome_words(check_prose.ROOT))
        self.assertGreater(len(entries), 40)
        for expression, instead, _ in entries:
            self.assertTrue(instead, expression.pattern)
            self.assertEqual(list(check_prose.matches(expression, "\n" + instead)), [], f"{expression.pattern} matches its remedy")

    def test_plain_english_passes(self):
        text = ("At least two values are in no other group. There is no file. The least recently used entry, of course, is dropped. "
                "It is no longer there, none of them is. It is no faster. The values are of the form a + b. He has turned it on. "
                "Of 40 runs, 12 failed. Of those, two hang. In all of them it holds. Beside the rows stand the columns.")
        for expression, _, _ in check_prose.unwelcome_words(check_prose.ROOT):
            self.assertEqual(list(check_prose.matches(expression, "\n" + text.lower())), [])


if __name__ == "__main__":
    unittest.main()
