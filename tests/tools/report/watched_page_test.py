#!/usr/bin/env python3
"""Opens the page of `warptune tune --watch` in headless Chromium while a session runs.

The page shows new rows by itself, keeps what a person chose, and says how the session ended. A web page of another origin cannot
read it. A replay takes the place of a GPU. Without Chromium the exit code is 77, which means skipped.

    watched_page_test.py WARPTUNE [--screenshots FOLDER]
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import synthetic_recording
from browser import Browser, find_chromium

ROWS = "Page.workload === null ? 0 : Page.workload.count"
DRAWN = "document.documentElement?.dataset.drawnMs !== undefined"
TABLE_TOP = "document.getElementById('configurations').getBoundingClientRect().top"
# A replay that takes many seconds: the strategy fits its model to thousands of rows.
LONG_REPLAY = ["--budget", "all", "--strategy", "surrogate", "--watch"]


class WatchedPageTest(unittest.TestCase):
    program = screenshots = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="warptune-watched-")
        self.addCleanup(self.folder.cleanup)
        self.browser = Browser(find_chromium())
        self.addCleanup(self.browser.__exit__)
        self.browser.window(1400, 900)
        environment = {**os.environ, "XDG_DATA_HOME": self.folder.name, "CUDA_VISIBLE_DEVICES": "-1"}
        recording = pathlib.Path(self.folder.name) / "long.wtrec"
        synthetic_recording.write(recording, 10_000)
        errors = pathlib.Path(self.folder.name) / "errors"
        with open(errors, "w", encoding="utf-8") as stream:
            self.session = subprocess.Popen([self.program, "tune", "synthetic", "--replay", recording, *LONG_REPLAY], env=environment, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=stream)
        self.addCleanup(self.end)
        self.address = self.printed_address(errors)

    def end(self):
        if self.session.poll() is None:
            self.session.kill()
        self.session.wait()

    def printed_address(self, errors):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if found := re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", errors.read_text(encoding="utf-8")):
                return found[0]
            time.sleep(0.02)
        self.fail(f"no address: {errors.read_text(encoding='utf-8')}")

    def open(self, address):
        self.browser.errors.clear()
        self.browser.send("Page.navigate", url=address)

    def use(self, script):
        return self.browser.evaluate(f"(() => {{ {script} }})()")

    def say(self):
        return self.browser.evaluate("document.getElementById('live').textContent")

    def wait_for_rows(self, more_than):
        self.browser.wait_for(f"{ROWS} > {more_than}", "new rows")
        return self.browser.evaluate(ROWS)

    def picture(self, name):
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"watched-{name}.png", whole=False)

    def test_new_rows_are_drawn_choices_stay_and_the_end_is_shown(self):
        self.open(self.address)
        self.browser.wait_for("document.getElementById('live') !== null", "page")
        rows = self.wait_for_rows(0)
        self.browser.wait_for(DRAWN, "drawn page")
        self.use("""const show = document.querySelector('#configurations select');
            show.value = '100'; show.dispatchEvent(new Event('change'));
            const filter = document.querySelector('#configurations input');
            filter.value = 'VECTOR=4'; filter.dispatchEvent(new Event('input'));
            document.getElementById('configurations').scrollIntoView({ behavior: 'instant' });""")
        self.assertGreater(self.browser.evaluate("scrollY"), 500)
        # The table is the end of the page. While it has few rows, it cannot be scrolled to the top of the window.
        place = self.browser.evaluate(TABLE_TOP)
        self.picture("running")
        for _ in range(2):
            rows = self.wait_for_rows(rows)
            self.browser.wait_for(DRAWN, "redrawn page")
            self.assertEqual(self.browser.evaluate("[document.querySelector('#configurations select').value, "
                                                   "document.querySelector('#configurations input').value]"), ["100", "VECTOR=4"])
            # Sections above may become higher as rows arrive, and the browser keeps what is seen in its place.
            self.assertLess(abs(self.browser.evaluate(TABLE_TOP) - place), 200, "the table that was looked at is still there")
        self.assertRegex(self.say(), r"^The session runs: \d+ evaluated, \d+ % done\.$")
        self.session.send_signal(signal.SIGINT)
        self.assertEqual(self.session.wait(30), 130)
        self.browser.wait_for("document.documentElement.dataset.live === 'interrupted'", "notice of the end")
        self.assertIn("was interrupted", self.say())
        self.browser.wait_for(DRAWN, "last state")
        self.assertGreaterEqual(self.browser.evaluate(ROWS), rows)
        self.use("document.getElementById('theme').click()")
        self.browser.wait_for(DRAWN, "page that still works")
        self.picture("ended")
        self.assertEqual(self.browser.errors, [])

    def test_a_line_says_that_the_program_was_killed_and_the_page_stays(self):
        self.open(self.address)
        self.browser.wait_for("document.getElementById('live') !== null", "page")
        self.wait_for_rows(0)
        self.use("Live.attempts = 1")
        self.session.kill()
        self.session.wait()
        self.browser.wait_for("document.documentElement.dataset.live === 'lost'", "notice")
        self.assertIn("There is no answer", self.say())
        self.assertGreater(self.browser.evaluate(ROWS), 0)

    def test_a_page_of_another_origin_cannot_read_it(self):
        other = pathlib.Path(self.folder.name) / "other.html"
        other.write_text("<!DOCTYPE html><title>other</title>", encoding="utf-8")
        self.open(other.as_uri())
        self.browser.wait_for("document.title === 'other'", "page")
        for path in ("", "data?after=0"):
            read = self.browser.evaluate(f"fetch('{self.address}{path}').then((answer) => answer.text(), () => 'refused')")
            self.assertEqual(read, "refused")
        framed = self.browser.evaluate(f"""new Promise((resolve) => {{
            const frame = document.createElement('iframe');
            frame.onload = () => resolve(frame.contentDocument === null);
            frame.src = '{self.address}'; document.body.append(frame); }})""")
        self.assertTrue(framed, "its content is out of reach")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="write pictures of the page")
    options, rest = parser.parse_known_args()
    if not find_chromium():
        print("SKIPPED: no chromium")
        sys.exit(77)
    WatchedPageTest.program = options.program.resolve()
    WatchedPageTest.screenshots = options.screenshots
    unittest.main(argv=[sys.argv[0], *rest])
