#!/usr/bin/env python3
"""scripts/wrap-definitions breaks long lines and changes no value."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:  # Python before 3.11
    tomllib = None

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/wrap-definitions"
LONG = "word " * 40 + "end"
QUOTED = 'VARIANT == "a" || ' * 10 + 'VARIANT == "b"'


class WrapDefinitions(unittest.TestCase):
    def wrapped(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.write_text(text)
            subprocess.run([sys.executable, str(SCRIPT), str(path)], check=True)
            return path.read_text()

    @unittest.skipUnless(tomllib, "tomllib came with Python 3.11")
    def test_values_stay_and_lines_fit(self):
        text = "\n".join([
            "[parameters]",
            f"A = {{ values = [1, 2], when = '{QUOTED}', description = \"{LONG}\" }}",
            "B = [" + ", ".join(str(i) for i in range(100)) + "]",
            f"c = '{QUOTED}'",
            "d = [ # first",
            f"  {{ expression = '{QUOTED}', reason = \"{LONG}\" }}, # of these",
            "]",
            f'e = "a \\"b\\" {LONG}"  # {LONG}',
            f"# {LONG}",
            f"f = ['{QUOTED}', \"short\"]",
            f"g = 'C:\\path {LONG}'",
            "h = { a = 1, b = 2 }", ""])
        made = self.wrapped("k.toml", text)
        self.assertEqual(tomllib.loads(made), tomllib.loads(text))
        self.assertEqual(list(tomllib.loads(made)["parameters"]), list(tomllib.loads(text)["parameters"]))
        self.assertLessEqual(max(map(len, made.split("\n"))), 120)
        self.assertIn("h = { a = 1, b = 2 }", made)
        self.assertEqual(self.wrapped("k.toml", made), made)
        wider = made.replace("word", "longer word")
        again = self.wrapped("k.toml", wider)
        self.assertEqual(tomllib.loads(again), tomllib.loads(wider))
        self.assertLessEqual(max(map(len, again.split("\n"))), 120)

    def test_code_stays_unchanged_and_comments_are_wrapped(self):
        code = "__global__ void k() { int " + ", ".join(f"variable_{i}" for i in range(20)) + "; }"
        made = self.wrapped("k.cu", f'/* warptune\ndescription = "{LONG}"\n*/\n// {LONG}\n{code}\n')
        self.assertIn(code, made)
        self.assertIn('description = """\\\n', made)
        rest = made.replace(code, "")
        self.assertLessEqual(max(map(len, rest.split("\n"))), 120)
        self.assertEqual(rest.count("word"), 80)

    def test_paragraphs_lists_and_tables_of_markdown_stay_what_they_are(self):
        about = f"A first line.\n\n{LONG}\n- {LONG}\n- short\n\n| a | {LONG} |\n"
        made = self.wrapped("k.toml", f'about = """\n{about}"""\n')
        self.assertIn("\n\nword", made)
        self.assertEqual(made.count("\n- "), 2)
        self.assertIn(f"| a | {LONG} |", made)
        self.assertEqual(made.split(), f'about = """\n{about}"""\n'.split())


if __name__ == "__main__":
    unittest.main()
