#!/usr/bin/env python3
"""Opens pages of surveys in headless Chromium: they draw without errors, zoom, filter, and need no network.

Without Chromium the exit code is 77, which means skipped.

    survey_page_test.py WARPTUNE [--screenshots FOLDER]
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import synthetic_survey  # noqa: E402
from report_pages import SIZES, ReportPages, run_tests  # noqa: E402
from repository import ROOT  # noqa: E402

COUNTED = ROOT / "tests" / "survey" / "data" / "version2.wtsurvey.zst"
GRAPHS = ROOT / "tests" / "survey" / "data" / "torch_graph.wtsurvey.zst"
KEPT = ROOT / "tests" / "survey" / "data" / "version1.wtsurvey.zst"
VIEW = "[Survey.timeline.view.from, Survey.timeline.view.to]"
# How many pixels of the timeline have another colour than its background.
PAINTED = """(() => {
  const { canvas } = Survey.timeline;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const data = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const counts = new Map();
  for (const pixel of data) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return data.length - Math.max(...counts.values());
})()"""
KEY = "Survey.timeline.canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '%s', cancelable: true }));"
# Resolves when the timeline was drawn again.
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


class SurveyPageTest(ReportPages):
    def page_of(self, survey):
        """The page of a survey. It is written once."""
        if survey not in self.written:
            page = pathlib.Path(self.folder.name) / f"{survey.name.split('.')[0]}.html"
            subprocess.run([self.program, "survey", survey, "--html", page], check=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.written[survey] = page
        return self.written[survey]

    def synthetic(self, launches, name, **options):
        survey = pathlib.Path(self.folder.name) / f"{name}.wtsurvey.zst"
        if not survey.exists():
            synthetic_survey.write(survey, launches, **options)
        return self.page_of(survey)

    def open_page(self, page, size="light"):
        self.browser.window(*SIZES[size])
        self.browser.open_report(page)
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{page.stem}-{size}.png")

    def press(self, *keys):
        self.use("".join(KEY % key for key in keys))
        self.browser.evaluate(DRAWN)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def place_of(self, condition):
        """The middle of the first visible record for which a JavaScript condition of `row` and `label` holds."""
        return self.use(f"""const {{ records, view, lines, canvas, frame }} = Survey.timeline;
            canvas.scrollIntoView({{ block: "center", behavior: "instant" }});
            const box = canvas.getBoundingClientRect();
            for (let row = 0; row < records.count; ++row) {{
              const label = records.label(row);
              if (!({condition})) continue;
              const line = lines.findIndex(({{ track }}) => track === records.tracks.find((one) => row >= one.first && row < one.end));
              const x = view.place((records.starts[row] + records.ends[row]) / 2);
              return [box.left + x, box.top + TimelineDrawing.axis + (line + 0.5) * TimelineDrawing.row - frame.scrollTop];
            }}""")

    def test_the_page_draws_in_every_window_size_and_colour_scheme(self):
        page = self.synthetic(20_000, "several")
        for size, (width, _, dark) in SIZES.items():
            with self.subTest(size=size):
                self.open_page(page, size)
                self.assertGreater(self.browser.evaluate(PAINTED), 3000)
                self.assert_clean()
                self.assert_fits(width)
                self.assertEqual(self.browser.evaluate("document.documentElement.dataset.theme"), "dark" if dark else "light")
        self.assertIn("python train.py --epochs 2", self.browser.evaluate("document.getElementById('summary').innerText"))

    def test_counters_are_shown_with_their_findings(self):
        for size, (width, _, _) in SIZES.items():
            with self.subTest(size=size):
                self.open_page(self.page_of(COUNTED), size)
                text = self.browser.evaluate("document.getElementById('counters').innerText")
                self.assertIn("strided", text)
                self.assertIn("DRAM traffic 1.16 GB", text)
                self.assertIn("Global loads touch 32.0 sectors per request", text)
                self.assertEqual(self.browser.evaluate("document.querySelectorAll('#counters .finding.fault').length"), 1)
                self.assert_clean()
                self.assert_fits(width)
        self.open_page(self.page_of(KEPT))
        self.assertIsNone(self.browser.evaluate("document.getElementById('counters')"), "a survey without counters has no such card")

    def test_a_counted_graph_and_the_tables_are_shown(self):
        for size, (width, _, _) in SIZES.items():
            self.open_page(self.page_of(GRAPHS), size)
            text = self.browser.evaluate("document.getElementById('counters').innerText")
            self.assertIn("CUDA graph of 4 nodes: 1 of Kernel2<cutlass_80_simt_sgemm", text)
            self.assertRegex(text, r"Median 200 .s\. Counted launches: 3\.")
            tables = self.browser.evaluate("document.getElementById('tables').innerText")
            for line in ("graph launch        80", "device to host  device  pinned"):
                self.assertIn(line, tables)
            self.assert_clean()
            self.assert_fits(width)

    def test_a_gpu_without_work_has_no_causes_beside_one_that_worked(self):
        self.open_page(self.synthetic(200, "unused", change=lambda survey: survey["devices"].append({"uuid": "GPU-1", "name": "Spare"})))
        text = self.browser.evaluate("document.getElementById('summary').innerText")
        self.assertIn("GPU 1: Spare\n\nNo work was seen on it.", text)
        self.assertIn("GPU 0 is busy", text)
        self.assertNotIn("GPU 1 is busy", text)
        self.assert_clean()

    def test_a_survey_that_observed_nothing_says_so_as_the_text_does(self):
        """All processes reached their limit before any work was listed."""
        self.open_page(self.synthetic(0, "nothing", change=lambda survey: [process.update(left_out=9) for process in survey["processes"]]))
        text = self.browser.evaluate("document.getElementById('sections').innerText")
        self.assertIn("How busy it was is unknown, because its work is not listed.", text)
        self.assertIn("No part of the run was observed, so there are no findings.", text)
        self.assertNotIn("is busy", text)
        self.assertNotIn("Nothing was found", text)
        self.assert_clean()

    def test_keys_zoom_and_move_from_density_to_single_records(self):
        self.open_page(self.synthetic(20_000, "several"))
        whole = self.browser.evaluate(VIEW)
        self.assertGreater(self.browser.evaluate("Survey.timeline.drawn.density"), 0)
        self.press(*["+"] * 8)
        near = self.browser.evaluate(VIEW)
        self.assertAlmostEqual((near[1] - near[0]) * 256 / (whole[1] - whole[0]), 1, places=6)
        self.assertEqual(self.browser.evaluate("Survey.timeline.drawn.density"), 0)
        self.assertGreater(self.browser.evaluate("Survey.timeline.drawn.records"), 0)
        self.assertGreater(self.browser.evaluate(PAINTED), 3000)
        self.press("ArrowRight")
        moved = self.browser.evaluate(VIEW)
        self.assertAlmostEqual((moved[0] - near[0]) / (near[1] - near[0]), 0.1, places=6)
        self.press("ArrowLeft", "-")
        self.assertAlmostEqual(self.browser.evaluate("Survey.timeline.view.span") / (near[1] - near[0]), 2, places=6)
        self.press("0")
        self.assertEqual(self.browser.evaluate(VIEW), whole)
        self.press(*["-"] * 3, "ArrowLeft")
        self.assertEqual(self.browser.evaluate(VIEW), whole, "there is nothing beyond")
        self.press(*["+"] * 60)
        self.assertGreaterEqual(self.browser.evaluate("Survey.timeline.view.span"), 199)
        self.assert_clean()

    def test_wheel_drag_and_double_click_zoom_and_move(self):
        self.open_page(self.synthetic(20_000, "several"))
        x, y = self.use("""const canvas = Survey.timeline.canvas;
            canvas.scrollIntoView({ block: "center", behavior: "instant" });
            const box = canvas.getBoundingClientRect();
            return [box.left + box.width / 4, box.top + 60]""")
        before = self.browser.evaluate("Survey.timeline.view.time(Survey.timeline.view.width / 4)")
        span = self.browser.evaluate("Survey.timeline.view.span")
        self.browser.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-60, modifiers=2)
        self.browser.wait_for(f"Survey.timeline.view.span < {span}", "zoom by the wheel")
        self.assertLess(abs(self.browser.evaluate("Survey.timeline.view.time(Survey.timeline.view.width / 4)") - before), span / 400,
                        "the time below the pointer stays")
        start = self.browser.evaluate("Survey.timeline.view.from")
        self.browser.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x - 50, y=y, button="left")
        self.browser.send("Input.dispatchMouseEvent", type="mouseReleased", x=x - 50, y=y, button="left", clickCount=1)
        self.assertGreater(self.browser.evaluate("Survey.timeline.view.from"), start)
        self.assertIsNone(self.browser.evaluate("Survey.timeline.drawing.chosen"), "a drag chooses nothing")
        self.assert_clean()

    def test_two_fingers_zoom(self):
        self.open_page(self.synthetic(20_000, "several"))
        spans = self.use("""const { canvas, view } = Survey.timeline;
            canvas.setPointerCapture = () => {};
            const box = canvas.getBoundingClientRect();
            const send = (type, pointerId, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId, clientX: box.left + x, clientY: box.top + 50 }));
            const before = view.span;
            send("pointerdown", 1, 100); send("pointerdown", 2, 200); send("pointermove", 2, 300); send("pointerup", 1, 100); send("pointerup", 2, 300);
            return [before, view.span]""")
        self.assertAlmostEqual(spans[1] / spans[0], 0.5, places=3)

    def test_a_kernel_of_the_table_is_highlighted(self):
        self.open_page(self.synthetic(20_000, "several"))
        name = self.use("const first = document.querySelector('.kernels button.row'); first.click(); return first.title")
        self.browser.evaluate(DRAWN)
        marked = self.use("""const { records, drawing } = Survey.timeline;
            return records.labels.filter((label, i) => drawing.marks[i] === 1).map((label) => records.nameOf(label))""")
        self.assertEqual(marked, [name])
        self.assertEqual(self.browser.evaluate("document.querySelector('.kernels tr.chosen button').title"), name)
        self.press("n", "n")
        self.assertEqual(self.browser.evaluate("document.querySelector('#record h3').textContent"), name)
        self.press("Escape")
        self.use("document.querySelector('.kernels tr.chosen button').click()")
        self.assertIsNone(self.browser.evaluate("Survey.timeline.drawing.marks"))
        self.assert_clean()

    def test_a_filter_leaves_the_kernels_that_have_its_words(self):
        self.open_page(self.synthetic(20_000, "several"))
        names = self.use("""const filter = document.querySelector('.filter');
            filter.value = 'FUNCTOR3 elementwise'; filter.dispatchEvent(new Event('input'));
            return [...document.querySelectorAll('.kernels tbody button')].map((one) => one.textContent)""")
        self.assertEqual(len(names), 11, "3 and 30 to 39")
        self.assertEqual(sum(self.browser.evaluate("[...Survey.timeline.drawing.marks]")), 11)
        self.use("const filter = document.querySelector('.filter'); filter.value = ''; filter.dispatchEvent(new Event('input'))")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.kernels tbody tr').length"), synthetic_survey.KERNELS)
        self.assert_clean()

    def test_a_click_shows_what_a_record_is_and_which_call_gave_it(self):
        self.open_page(self.synthetic(20_000, "several"))
        self.press(*["+"] * 10)
        seen = "records.starts[row] > view.from && records.ends[row] < view.to"
        self.click(*self.place_of(f"label.kind === 'kernel' && {seen}"))
        details = self.browser.evaluate("document.getElementById('record').innerText")
        for part in ("Functor", "grid", "registers of a thread", "cudaLaunchKernel"):
            self.assertIn(part, details)
        self.use("document.querySelector('#record button.row').click()")
        self.browser.evaluate(DRAWN)
        self.assertEqual(self.browser.evaluate("document.querySelector('#record h3').textContent"), "cudaLaunchKernel")
        self.click(*self.place_of(f"label.kind === 'call' && {seen}"))
        self.press("n", "p")
        self.assertIn("thread", self.browser.evaluate("document.getElementById('record').innerText"))
        self.assert_clean()

    def test_the_call_of_each_launch_begins_before_it_on_the_same_process(self):
        self.open_page(self.synthetic(20_000, "several"))
        wrong = self.use("""const { records } = Survey.timeline;
            let wrong = 0, checked = 0;
            for (const track of records.tracks.filter(({ kind }) => kind === 'stream')) {
              for (let row = track.first; row < track.end; ++row) {
                const call = records.calls[row];
                checked += 1;
                if (call < 0 || records.label(call).kind !== 'call' || records.starts[call] >= records.starts[row]
                    || records.trackOf(call).process !== track.process) wrong += 1;
              }
            }
            return [wrong, checked]""")
        self.assertEqual(wrong, [0, 20_500])

    def test_copies_and_fills_have_rows_of_their_own_beside_the_streams(self):
        def change(survey):
            copies = survey["copies"]
            for row in range(0, len(copies["direction"]), 2):
                copies["direction"][row], copies["source"][row], copies["destination"][row] = 2, 3, 2
            survey["fills"] = {"start": [1000, 100, 900], "duration": [500] * 3, "stream": [0, 1, 0], "call": [-1, 0, 0],
                               "bytes": [64] * 3, "destination": [3] * 3}

        self.open_page(self.synthetic(20_000, "copies", change=change))
        tracks = self.use("return Survey.timeline.lines.slice(0, 8).map(({ text, track }) => [text, track?.rows])")
        self.assertEqual([name for name, _ in tracks[1:]], ["GPU 0, stream 7", "GPU 0, stream 8", "GPU 0, copies to the device",
                                                            "GPU 0, copies to the host", "GPU 0, copies to the host, 2", "GPU 0, fills", "GPU 0, fills, 2"])
        self.assertEqual([rows for _, rows in tracks[6:]], [2, 1], "two fills overlap")
        wrong = self.use("""const { records } = Survey.timeline;
            const copied = records.tracks.filter(({ kind }) => kind === 'copies');
            let wrong = 0, bytes = 0;
            for (const track of copied) {
              for (let row = track.first; row < track.end; ++row) {
                const origin = records.origin(row);
                bytes += records.sized.get(row);
                if (records.trackOf(origin).kind !== 'stream' || records.label(origin) !== records.label(row)
                    || records.starts[origin] !== records.starts[row] || records.ends[origin] !== records.ends[row]
                    || (row > track.first && records.starts[row] < records.ends[row - 1])
                    || Math.abs(records.sums[row + 1] - records.sums[row] - records.ends[row] + records.starts[row]) > 1) wrong += 1;
              }
            }
            return [wrong, bytes]""")
        self.assertEqual(wrong, [0, 500 * (2 << 20) + 3 * 64])
        self.press(*["+"] * 5)
        self.click(*self.place_of("row >= records.stored && label.direction === 'device to host' && records.starts[row] > view.from && records.ends[row] < view.to"))
        details = self.browser.evaluate("document.getElementById('record').innerText")
        for part in ("copy: device to host, device to pinned, asynchronous", "GPU 0, stream ", "cudaMemcpyAsync", "2.10 MB"):
            self.assertIn(part, details)
        self.assert_clean()

    def test_counted_kernels_are_placed_under_the_roofs(self):
        def change(survey):
            survey["version"] = 2
            survey["devices"][0].update(memory_bandwidth_bytes_per_s=4_800_000_000_000, max_clock_khz=1_980_000)
            counters = {"dram__bytes.sum": 1e8, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 2e8,
                        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": 0, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 4e8}
            survey["counted"] = [{"shape": 39, "device": 0, "launches": [counters]},
                                 {"shape": 38, "device": 0, "launches": [{**counters, "dram__bytes.sum": 1e6}]},
                                 {"shape": 37, "device": 0, "launches": [{"dram__bytes.sum": 1e8}]}]

        page = self.synthetic(2_000, "roofline", change=change)
        for size, (width, _, _) in SIZES.items():
            with self.subTest(size=size):
                self.open_page(page, size)
                points = self.use("return [...document.querySelectorAll('.roofline .point')].map((point) => point.querySelector('title').textContent)")
                self.assertEqual([point.split()[0] for point in points], ["1", "2"])
                self.assertIn("at 10 FLOP per byte", points[0])
                self.assertIn("Not in the plot, because no arithmetic of them was counted: 3 ", self.browser.evaluate("document.getElementById('counters').innerText"))
                outside = self.use("""const box = document.querySelector('.roofline svg').getBoundingClientRect();
                    return [...document.querySelectorAll('.roofline svg :not(title)')].map((one) => one.getBoundingClientRect())
                      .filter(({ left, right, top, bottom }) => left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1).length""")
                self.assertEqual(outside, 0)
                self.assertEqual(self.browser.evaluate("document.querySelectorAll('.roofline .roof').length"), 1)
                self.assert_clean()
                self.assert_fits(width)
        self.open_page(self.page_of(COUNTED))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.roofline').length"), 0, "no arithmetic was counted")

    def test_names_cannot_add_markup(self):
        evil = ["</script><img src=x onerror='document.title=1'>", "<b onclick=x>kernel</b>"]
        for page in (self.synthetic(200, "evil", names=evil), self.page_of(KEPT)):
            self.open_page(page)
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('main img, main b[onclick]').length"), 0)
            self.assert_clean()
        self.assertIn("</script><b>", self.browser.evaluate("document.getElementById('summary').innerText"))
        self.assertIn("Segmentation fault", self.browser.evaluate("document.getElementById('summary').innerText"))
        self.assertIn("CUPTI lost records.", self.browser.evaluate("document.getElementById('summary').innerText"))

    def test_everything_has_a_name_and_the_focus_reaches_it(self):
        self.open_page(self.synthetic(20_000, "several"))
        nodes = [node for node in self.browser.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        for node in nodes:
            if node["role"]["value"] in ("button", "image", "table", "searchbox", "link"):
                self.assertNotEqual(node.get("name", {}).get("value", "").strip(), "", node)
        self.assertEqual(self.browser.evaluate("Survey.timeline.canvas.tabIndex"), 0)

    def test_an_old_browser_gets_a_sentence(self):
        page = self.synthetic(200, "old")
        script = self.browser.send("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
        try:
            self.browser.send("Page.navigate", url=page.resolve().as_uri())
            self.browser.wait_for("document.getElementById('sections')?.innerText.includes('too old to unpack')", "sentence")
        finally:
            self.browser.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


if __name__ == "__main__":
    run_tests()
