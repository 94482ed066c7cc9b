#!/usr/bin/env python3
"""Uses reports in headless Chromium as a reader does: filters, copies, follows links, saves pictures, compares workloads.

Without Chromium the exit code is 77, which means skipped.

    report_use_test.py WARPTUNE [--screenshots FOLDER]
"""

import json
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import synthetic_recording
from report_pages import CHARTS, ReportPages, run_tests
from repository import ROOT

TRANSPOSE = ROOT / "recordings" / "transpose-h200.wtrec.zst"


class ReportUseTest(ReportPages):
    def data_of(self, recording):
        done = subprocess.run([self.program, "report", str(recording), "--format", "json"], capture_output=True, check=True, stdin=subprocess.DEVNULL)
        return json.loads(done.stdout)["workloads"][0]

    def filtered(self, expression):
        """What the filter answers, and the number of configurations in the table."""
        return self.use(f"""const filter = document.querySelector('#configurations input');
            filter.value = {json.dumps(expression)}; filter.dispatchEvent(new Event('input'));
            return [document.getElementById('filter-said').innerText, document.querySelectorAll('#configurations tbody tr').length,
              filter.getAttribute('aria-invalid')]""")

    def test_filters_compute_as_constraints_do(self):
        self.open(self.write_report("filter", TRANSPOSE))
        rows = self.browser.evaluate("""Page.workload.timed.map((row) => [...Page.workload.parameters.map((_, p) => Page.workload.typed(p, row)),
            Page.workload.relative(row), Page.workload.resource('registers_per_thread', row), Page.workload.counter('dram__bytes.sum', row)])""")
        names = [*self.browser.evaluate("Page.workload.parameters.map(({ name }) => name)"), "x_best", "registers", "bytes"]
        rows = [dict(zip(names, row)) for row in rows]
        cases = {
            "BLOCK > 256": lambda r: r["BLOCK"] > 256,
            "BLOCK=256 VECTOR=4": lambda r: r["BLOCK"] == 256 and r["VECTOR"] == 4,
            "block == 256 && vector != 4": lambda r: r["BLOCK"] == 256 and r["VECTOR"] != 4,
            "TILE_X * TILE_Y / BLOCK >= 8 || x_best < 1.01": lambda r: r["TILE_X"] * r["TILE_Y"] // r["BLOCK"] >= 8 or r["x_best"] < 1.01,
            "SHARED_LAYOUT = padded and not (LOAD == 'async')": lambda r: r["SHARED_LAYOUT"] == "padded" and r["LOAD"] != "async",
            "(BLOCK > 256 ? VECTOR : 4) == 4": lambda r: (r["VECTOR"] if r["BLOCK"] > 256 else 4) == 4,
            "min(TILE_X, TILE_Y) <= 16, registers < 40": lambda r: min(r["TILE_X"], r["TILE_Y"]) <= 16 and r["registers"] < 40,
            "dram__bytes.sum < 5.2e8 && ceil_div(TILE_X, 48) == 2": lambda r: r["bytes"] < 5.2e8 and -(-r["TILE_X"] // 48) == 2,
        }
        for expression, holds in cases.items():
            with self.subTest(expression=expression):
                expected = sum(map(holds, rows))
                self.assertGreater(expected, 0)
                self.assertLess(expected, len(rows))
                said, shown, invalid = self.filtered(expression)
                self.assertIn(f"of {expected:,} configuration", said)
                self.assertEqual((shown, invalid), (min(20, expected), "false"))
        self.assert_clean()

    def test_a_mistake_in_a_filter_is_answered(self):
        self.open(self.write_report("mistakes", TRANSPOSE))
        answers = {
            "BLOK > 256": "BLOK is not known. Did you mean BLOCK",
            "NOPE=3": "The parameters are TILE_X, TILE_Y",
            "BLOCK=300": "Its values are 64, 128, 256, 512, 1024.",
            "SHARED_LAYOUT=paded": "Did you mean padded?",
            "SHARED_LAYOUT > 3": "SHARED_LAYOUT is text, one of padded",
            "BLOCK > ": "Something is missing at the end.",
            "64 < BLOCK < 512": "write 1 <= A && A <= 3",
            "BLOCK & 1": "Write && instead of &.",
            "(BLOCK": ") is missing",
            "LOAD == 'plain": "closing quote",
            "maximum(BLOCK, 3) > 2": "There is no function maximum",
            "max(BLOCK) > 2": "max needs two or more arguments",
            "LOAD": "This is text, not a condition",
            "LOAD + 1 > 2": "a number is needed",
            "BLOCK @ 2": "The character @ means nothing here.",
        }
        for expression, answer in answers.items():
            with self.subTest(expression=expression):
                said, shown, invalid = self.filtered(expression)
                self.assertIn(answer, said)
                self.assertEqual((shown, invalid), (20, "true"), "the table stays as it was")
        said, shown, invalid = self.filtered("BLOCK=64 VECTOR=1 x_best < 1.01")
        self.assertIn("No configuration is left of 1,120. By each condition alone there are: BLOCK=64:", said)
        self.assertEqual((shown, invalid), (0, "false"))
        self.assert_clean()

    def test_a_configuration_is_copied_as_options_json_and_link(self):
        page = self.write_report("copied", TRANSPOSE)
        self.open(page)
        self.browser.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        data = self.data_of(TRANSPOSE)
        second = {parameter["name"]: parameter["values"][column[1]] for parameter, column in zip(data["parameters"], data["rows"]["choices"])}
        self.use("Detail.show(Page.workload, 1)")
        copies = self.browser.evaluate("[Copies.defines(Page.workload, 1), Copies.json(Page.workload, 1), Links.of(Page.workload, 1)]")
        configuration = json.loads(copies[1])
        self.assertEqual(configuration, second)
        self.assertEqual(shlex.split(copies[0]), [f"-D{name}={value}" for name, value in configuration.items()])
        said = self.browser.evaluate("""(async () => {
            for (const one of document.querySelectorAll('#detail .copies button')) { one.click(); await new Promise((done) => setTimeout(done, 100)); }
            return document.querySelector('#detail .copies [role=status]').innerText; })()""")
        self.assertTrue(said.startswith(("Copied a link.", "Copy this:")), said)
        self.browser.open_report(page)
        self.browser.evaluate(f"location.assign({json.dumps(copies[2])})")
        self.browser.wait_for("document.getElementById('detail').open", "configuration of the link")
        shown = self.browser.evaluate("document.querySelector('#detail .configuration').textContent")
        self.assertEqual(shown, " ".join(f"{name}={value}" for name, value in configuration.items()))
        self.assert_clean()

    def test_a_link_leads_to_the_configuration_of_its_workload(self):
        page = self.write_report("linked", ROOT / "recordings" / "copy-h200.wtrec.zst", TRANSPOSE)
        self.open(page)
        link = self.browser.evaluate("Links.of(Page.workloads[1], 2)")
        self.browser.send("Page.navigate", url="about:blank")
        self.browser.send("Page.navigate", url=link)
        self.browser.wait_for("document.getElementById('detail')?.open", "configuration of the link")
        self.assertEqual(self.browser.evaluate("Page.workloads.indexOf(Page.workload)"), 1)
        self.assertEqual(self.browser.evaluate("location.href"), link)
        self.use("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))")
        self.assertNotIn("#", self.browser.evaluate("location.href"))
        for fragment, answer in (("workload=other&configuration=A%3D1", "The link is to other, which"),
                                 (link.split("#")[1].replace("VECTOR%3D", "VECTOR%3D9"), "a configuration that this report does not have"),
                                 ("configuration=%", "")):
            self.use(f"location.hash = {json.dumps(fragment)}")
            self.browser.wait_for(f"document.getElementById('notice').textContent.includes({json.dumps(answer)})", "answer")
        self.assertEqual(self.browser.errors, [])

    def test_every_chart_is_saved_as_a_picture_that_is_not_empty(self):
        self.open(self.write_report("saved", TRANSPOSE))
        saved = self.browser.evaluate("""(async () => {
            const found = [];
            Pictures.save = (title, canvas) => {
              const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              found.push([title, new Set(new Uint32Array(data.buffer)).size, canvas.toDataURL('image/png').slice(0, 22)]);
            };
            for (const one of document.querySelectorAll('main figcaption button')) one.click();
            return [found, document.querySelectorAll('main canvas').length]; })()""")
        self.assertEqual(len(saved[0]), saved[1])
        for title, colours, start in saved[0]:
            self.assertGreater(colours, 20, title)
            self.assertEqual(start, "data:image/png;base64,")

    def test_gpus_and_sizes_of_a_kernel_are_compared(self):
        paths = []
        for gpu, size in (("NVIDIA H200", 4096), ("NVIDIA H200", 8192), ("NVIDIA A100", 4096), ("NVIDIA A100", 8192)):
            paths.append(pathlib.Path(self.folder.name) / f"{gpu[-4:]}-{size}.wtrec")
            synthetic_recording.write(paths[-1], 300, gpu=gpu, size=size)
        self.open(self.write_report("compared", *paths))
        options = self.browser.evaluate("[...document.querySelectorAll('#comparison select')].at(-1).innerText")
        for wanted in ("how far configurations are from the best", "best so far", "best by N", "best with each VECTOR"):
            self.assertIn(wanted, options)
        for value in self.browser.evaluate("[...[...document.querySelectorAll('#comparison select')].at(-1).options].map((one) => one.value)"):
            lines = self.use(f"""const select = [...document.querySelectorAll('#comparison select')].at(-1);
                select.value = {json.dumps(value)}; select.dispatchEvent(new Event('change'));
                const chart = Charts.all.find((one) => one.canvas.closest('#comparison'));
                return chart.data.datasets.map((set) => [set.label, set.data.length])""")
            with self.subTest(figure=value):
                self.assertEqual(len(lines), 2 if value.startswith("size") else 4)
                self.assertTrue(all(points >= (2 if value.startswith("size") else 1) for _, points in lines), lines)
                self.assertEqual(self.browser.evaluate(CHARTS)["comparison"]["blank"], 0)
        matrix = self.use("return [...document.querySelectorAll('#comparison .matrix tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))")
        self.assertEqual([row[i + 1] for i, row in enumerate(matrix)], ["1.00"] * 4, "each best is best at home")
        self.assertIn("N=4096 NVIDIA H200", [row[0] for row in matrix])
        self.use("document.querySelectorAll('#comparison button.row')[0].click()")
        self.browser.wait_for("Page.workloads.indexOf(Page.workload) === 1 && document.documentElement.dataset.drawnMs", "other workload")
        self.assert_clean()

    def test_the_path_and_the_source_with_its_hot_lines_are_shown(self):
        data = self.data_of(TRANSPOSE)
        text = data["source"]["text"].split("\n")
        number = next(i for i, line in enumerate(text) if "__ldg" in line) + 1
        best = {parameter["name"]: parameter["values"][column[data["best"]]] for parameter, column in zip(data["parameters"], data["rows"]["choices"])}
        profile = pathlib.Path(self.folder.name) / "profile.json"
        profile.write_text(json.dumps({
            "format": "warptune-profile", "version": 2, "workload": {key: data[key] for key in ("kernel", "kernel_hash", "problem", "gpu", "cache")},
            "measurement": {"configuration": best},
            "hot_lines": {"samples": 100, "dropped_samples": 0, "launches": 1, "problem": None, "lines": [
                {"file": "/somewhere/transpose.cu", "line": number, "text": text[number - 1].strip(), "samples": 60, "samples_share": 0.6,
                 "stalls": {"long_scoreboard": 45, "selected": 15}}]}}))
        sections = self.open(self.write_report("path", TRANSPOSE, "--profile", profile))
        first = data["analysis"]["path"]["steps"][0]
        self.assertIn(first["changes"][0]["parameter"], sections["path"]["text"])
        self.assertIn(f"{1 / first['time_ratio']:.2f}x", sections["path"]["text"])
        self.assertIn(data["analysis"]["next_steps"][0], sections["path"]["text"])
        for wanted in ("warps of the best", f"transpose.cu:{number}", "60.0 %", "long scoreboard 75 %, selected 25 %"):
            self.assertIn(wanted, sections["source"]["text"])
        self.use("document.querySelector('#source button.row').click()")
        focused = self.browser.evaluate("[document.activeElement.id, document.activeElement.className, document.activeElement.innerText]")
        self.assertEqual(focused[:2], [f"line-{number}", "hot"])
        self.assertIn("__ldg", focused[2])
        self.assert_clean()


if __name__ == "__main__":
    run_tests()
