#!/usr/bin/env python3
"""Opens reports in headless Chromium.

The page reports no error and requests nothing over the network. All charts have content, nothing is wider than the window, and all
controls work. Without Chromium the exit code is 77, which means skipped.

    report_page_test.py WARPTUNE [--screenshots FOLDER]
"""

import gzip
import json
import pathlib
import subprocess

import synthetic_recording
from report_pages import CANVAS_SECTIONS, CHARTS, SIZES, ReportPages, run_tests
from repository import ROOT


def best_ns(recording):
    """The smallest median of a recording's measured rows: configuration, status, reason, time in tenths of a nanosecond, ..."""
    lines = subprocess.run(["zstd", "-dcq", str(recording)], capture_output=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines[1:]]
    return min(row[3][0] for row in rows if row[1] == "measured") / 10


class ReportPageTest(ReportPages):
    def test_a_shipped_recording_has_all_charts_in_every_window_size_and_colour_scheme(self):
        recording = ROOT / "recordings" / "sgemm-h200.wtrec.zst"
        page = self.write_report("sgemm", recording)
        best = f"{best_ns(recording) * 1e-3:.4g} us"
        for size, (width, _, _) in SIZES.items():
            with self.subTest(size=size):
                sections = self.open(page, size)
                self.assert_charts(sections, (*CANVAS_SECTIONS, "clocks"))
                self.assert_clean()
                self.assert_fits(width)
                self.assertRegex(sections["clocks"]["text"], r"\d+ MHz in the median, from \d+ to \d+ MHz")
                self.assertIn("Occupancy", sections["diagnosis"]["text"])
                self.assertIn(best, sections["summary"]["text"])
                self.assertEqual(sections["failures"]["text"].split("\n")[-1], "No configuration failed.")

    def test_without_counters_a_line_says_what_is_missing_and_the_rest_is_shown(self):
        cache = {"device_name": "some GPU", "kernel_name": "bare", "problem_size": [64], "tune_params_keys": ["x", "y"],
                 "tune_params": {"x": list(range(1, 9)), "y": [1, 2, 4, 8]}, "objective": "time", "cache": {}}
        for x in cache["tune_params"]["x"]:
            for y in cache["tune_params"]["y"]:
                time = "CompilationFailedConfig" if x * y > 32 else 1.0 + (x - 5) ** 2 / 10 + y / 7
                cache["cache"][f"{x},{y}"] = {"x": x, "y": y, "time": time}
        path = pathlib.Path(self.folder.name) / "bare.json.gz"
        path.write_bytes(gzip.compress(json.dumps(cache).encode()))
        page = self.write_report("bare", path)
        for size, (width, _, _) in SIZES.items():
            sections = self.open(page, size)
            self.assert_charts(sections, ("convergence", "distribution", "effects"))
            self.assert_clean()
            self.assert_fits(width)
        self.assertIn("warptune tune --metrics core", sections["counters"]["text"])
        self.assertIn("[work]", sections["roofline"]["text"])
        self.assertIn("This data has no clocks", sections["clocks"]["text"])
        self.assertIn("compile failed", sections["failures"]["text"])

    def test_ten_thousand_configurations_are_below_5_mb_and_drawn(self):
        path = pathlib.Path(self.folder.name) / "large.wtrec"
        synthetic_recording.write(path, 10_000)
        page = self.write_report("large", path)
        self.assertLess(page.stat().st_size, 5_000_000)
        for size, (width, _, _) in SIZES.items():
            sections = self.open(page, size)
            self.assert_charts(sections, CANVAS_SECTIONS)
            self.assert_clean()
            self.assert_fits(width)
        self.assertIn("registers a thread, the GPU has", sections["failures"]["text"])

    def test_a_reader_can_choose_among_several_kernels(self):
        if self.only_written:  # It takes long, and a documented command writes the same page with the same program.
            self.assertIn("\n$ warptune report recordings/*.wtrec.zst -o", (ROOT / "docs" / "report.md").read_text())
            return
        page = self.write_report("several", *sorted((ROOT / "recordings").glob("*.wtrec.zst")))
        self.open(page)
        count = self.browser.evaluate("document.getElementById('chooser').options.length")
        self.assertEqual(count, len(list((ROOT / "recordings").glob("*.wtrec.zst"))))
        for i in range(count):
            self.use(f"const c = document.getElementById('chooser'); c.value = '{i}'; c.dispatchEvent(new Event('change'))")
            self.browser.wait_for("document.documentElement.dataset.drawnMs !== undefined", "drawn workload")
            self.assert_charts(self.browser.evaluate(CHARTS), CANVAS_SECTIONS)
        self.assert_clean()

    def test_choices_keys_and_the_table_work(self):
        self.open(self.write_report("used", ROOT / "recordings" / "transpose-h200.wtrec.zst"))
        self.use("""for (const select of document.querySelectorAll('main select')) {
            for (const option of select.options) { select.value = option.value; select.dispatchEvent(new Event('change')); } }""")
        self.assertEqual([s for s, about in self.browser.evaluate(CHARTS).items() if about["blank"]], [])
        spoken = self.use("""const chart = Charts.all.find((c) => c.canvas.closest('#roofline'));
            for (const key of ['End', 'ArrowLeft']) chart.canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
            chart.canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
            return document.getElementById('spoken').textContent""")
        self.assertIn("x the best", spoken)
        self.assertTrue(self.browser.evaluate("document.getElementById('detail').open"))
        self.use("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))")
        self.assertFalse(self.browser.evaluate("document.getElementById('detail').open"))
        shown = self.use("""const filter = document.querySelector('#configurations input');
            filter.value = 'shared_layout=none VECTOR=1'; filter.dispatchEvent(new Event('input'));
            document.querySelector('#configurations thead button').click();
            return [...document.querySelectorAll('#configurations tbody tr')].map((row) => row.innerText)""")
        self.assertGreater(len(shown), 0)
        self.assertTrue(all("none" in row for row in shown))
        self.assertEqual(self.browser.evaluate("document.querySelector('#configurations thead th').getAttribute('aria-sort')"), "descending")
        self.use("document.getElementById('theme').click()")
        self.browser.wait_for("document.documentElement.dataset.drawnMs !== undefined", "drawn workload")
        self.assertEqual(self.browser.evaluate("document.documentElement.dataset.theme"), "dark")
        self.assert_clean()

    def test_new_data_is_drawn_and_choices_stay(self):
        self.open(self.write_report("again", ROOT / "recordings" / "transpose-h200.wtrec.zst"))
        self.use("""const show = document.querySelector('#configurations select');
            document.querySelector('#source details').open = true;
            show.value = '100'; show.dispatchEvent(new Event('change')); show.focus();""")
        drawn = self.browser.evaluate("""Page.read().then((report) => {
            report.workloads[0].sample = "newer rows";
            return render(report).then(() => [document.querySelector('#summary').innerText,
              document.querySelectorAll('#configurations tbody tr').length, document.activeElement.value, Charts.all.length,
              document.querySelectorAll('main .chart canvas').length]); })""")
        self.assertIn("newer rows", drawn[0])
        self.assertEqual(drawn[1:3], [100, "100"])
        self.assertEqual(drawn[3], drawn[4], "the charts of the data before are ended")
        self.browser.wait_for("document.querySelectorAll('#source .listing tr').length > 100", "source, which stays open")
        self.assert_clean()

    def test_names_and_reasons_cannot_add_markup(self):
        path = pathlib.Path(self.folder.name) / "evil.wtrec"
        synthetic_recording.write(path, 60, kernel="</script><img src=x onerror='document.title=1'>")
        path.write_text(path.read_text().replace("what PAD sets", "<b onclick=x>pad</b>").replace("registers a thread", "<u>registers</u>"))
        sections = self.open(self.write_report("evil", path))
        self.assertIn("</script><img", self.browser.evaluate("document.getElementById('workload').textContent"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('main u, main b[onclick], img').length"), 0)
        self.assertIn("<b onclick=x>pad</b>", sections["effects"]["text"])
        self.assert_clean()


if __name__ == "__main__":
    run_tests()
