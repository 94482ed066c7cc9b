"""What the tests of the report's page share: reports are written, opened in headless Chromium, and looked at."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_chromium

# For each section: its canvases, the blank ones among them, and points outside of their chart.
CHARTS = """Object.fromEntries([...document.querySelectorAll("main section")].map((section) => {
  const canvases = [...section.querySelectorAll("canvas")];
  const pixels = (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const blank = canvases.filter((canvas) => canvas.width === 0 || canvas.height === 0 || !pixels(canvas).some((part) => part !== 0));
  const outside = Charts.all.filter((chart) => section.contains(chart.canvas)).flatMap((chart) =>
    chart.data.datasets.flatMap((set, s) => (!["scatter", "dots"].includes(set.type) ? [] : chart.getDatasetMeta(s).data.filter((point) =>
      point.x < chart.chartArea.left - 1 || point.x > chart.chartArea.right + 1 ||
      point.y < chart.chartArea.top - 1 || point.y > chart.chartArea.bottom + 1))));
  return [section.id, { outside: outside.length, canvases: canvases.length, blank: blank.length, brief: section.classList.contains("brief"),
    text: section.innerText }];
}))"""
CANVAS_SECTIONS = ("convergence", "distribution", "roofline", "counters", "effects", "importance")
SIZES = {"light": (1400, 900, False), "dark": (1400, 900, True), "narrow": (380, 800, False)}


class ReportPages(unittest.TestCase):
    """A browser for a class of tests, and reports for it to open."""

    program = screenshots = started = None
    only_written = False

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="warptune-report-")
        cls.written = {}
        if not cls.only_written:
            cls.started = Browser(find_chromium())

    @classmethod
    def tearDownClass(cls):
        if cls.started:
            cls.started.__exit__()
        cls.folder.cleanup()

    @property
    def browser(self):
        if self.only_written:
            self.skipTest("reports are only written")
        return self.started

    def write_report(self, name, *arguments):
        """The page of a report with these arguments. A page that another test of the class has written is not written again."""
        if arguments not in self.written:
            page = pathlib.Path(self.folder.name) / f"{name}.html"
            subprocess.run([self.program, "report", *map(str, arguments), "-o", page], check=True, stdin=subprocess.DEVNULL)
            self.written[arguments] = page
        return self.written[arguments]

    def open(self, page, size="light"):
        self.browser.window(*SIZES[size])
        self.browser.open_report(page)
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{page.stem}-{size}.png")
        return self.browser.evaluate(CHARTS)

    def assert_clean(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([url for url in self.browser.requests if not url.startswith("file:")], [])
        self.assertEqual(len(self.browser.requests), 1, "one file, nothing else")

    def assert_fits(self, width):
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def assert_charts(self, sections, expected):
        for name in {*CANVAS_SECTIONS, *expected}:
            with self.subTest(section=name):
                self.assertEqual(sections[name]["blank"], 0)
                self.assertEqual(sections[name]["outside"], 0, "points that an axis leaves out")
                self.assertEqual(sections[name]["canvases"] > 0, name in expected, sections[name]["text"][:200])

    def use(self, script):
        return self.browser.evaluate(f"(() => {{ {script} }})()")


def run_tests():
    """Runs the tests of the calling program. Without Chromium the exit code is 77, which means skipped. With --only-written each test
    ends when it has written its reports, and needs no Chromium: the pages of an instrumented program behave as those of any other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="write a picture of each page opened")
    parser.add_argument("--only-written", action="store_true", help="write the reports and open none")
    options, rest = parser.parse_known_args()
    if not options.only_written and not find_chromium():
        print("SKIPPED: no chromium")
        sys.exit(77)
    ReportPages.program = options.program.resolve()
    ReportPages.screenshots = options.screenshots
    ReportPages.only_written = options.only_written
    unittest.main(argv=[sys.argv[0], *rest])
