#!/usr/bin/env python3
"""Opens reports in headless Chromium, as readers with impaired sight, without a mouse, or with small windows do.

Nothing overflows at 1400, 800 and 500 pixels. Every control can be reached by Tab and has a name in the accessibility tree. Texts
have a contrast of at least 4.5, and lines and points of charts one of at least 3, in the light and the dark scheme. These are the values of the Web Content
Accessibility Guidelines 2.2 (1.4.3 and 1.4.11, level AA). Without Chromium the exit code is 77, which means skipped.

    report_access_test.py WARPTUNE [--screenshots FOLDER]
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from report_pages import ReportPages, run_tests
from repository import ROOT

PAGE = ROOT / "tuner/html_report/page"
WIDTHS = (1400, 800, 500)
RECORDINGS = [ROOT / "recordings" / f"{name}-h200.wtrec.zst" for name in ("transpose", "copy")]

# Colours that charts are drawn with, and borders of controls: at least 3 against their background.
DRAWN = ("point", "point-soft", "best", "default", "roof", "control", *(f"series-{i}" for i in range(1, 7)))

# The worst contrast of the texts that are shown, as [contrast, text]. Colours are painted on a canvas to become red, green, blue.
CONTRASTS = """(() => {
  const ctx = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (colours) => {
    ctx.clearRect(0, 0, 1, 1);
    for (const colour of colours) { ctx.fillStyle = colour; ctx.fillRect(0, 0, 1, 1); }
    return [...ctx.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = (part) => {
    const found = [];
    for (let at = part; at; at = at.parentElement) found.unshift(getComputedStyle(at).backgroundColor);
    return ["white", ...found];
  };
  const results = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const part = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || !part.checkVisibility() || part.closest(".unseen, .skip, script")) continue;
    const behind = grounds(part);
    const [front, back] = [luminance(painted([...behind, getComputedStyle(part).color])), luminance(painted(behind))];
    results.push([(Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05), walker.currentNode.data.trim().slice(0, 60)]);
  }
  return results.sort((a, b) => a[0] - b[0]).slice(0, 5);
})()"""

# Parts that stick out of the window although nothing around them scrolls.
OUTSIDE = """[...document.querySelectorAll("body *")].filter((part) => part.checkVisibility() && !part.closest(".scroll, .unseen, .skip, pre, dl")
  && part.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((part) => part.outerHTML.slice(0, 120)).slice(0, 5)"""

# What a reader can operate by a pointer. Values of an axis are one stop of Tab, and the arrow keys go on.
CONTROLS = """[...document.querySelectorAll("a[href], button, select, input, summary, canvas")]
  .filter((part) => part.checkVisibility() && (part.tabIndex >= 0 || !part.closest(".axis")))"""


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts))
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def schemes():
    """The custom properties of the style sheet: those of the light scheme and those of the dark one."""
    text = (PAGE / "style.css").read_text()
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})(?=;)", block)) for block in re.findall(r":root[^{]*\{(.*?)\n\}", text, re.S)]


class ReportAccessTest(ReportPages):
    def at(self, page, width, dark=False):
        self.browser.window(width, 900, dark)
        self.browser.open_report(page)
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{page.stem}-{width}-{'dark' if dark else 'light'}.png")

    def open_everything(self):
        self.use("for (const part of document.querySelectorAll('details')) part.open = true;")
        self.use("document.querySelector('#configurations button.row').click();")

    def test_nothing_overflows_the_window_at_any_width(self):
        page = self.write_report("widths", *RECORDINGS)
        for width in WIDTHS:
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.at(page, width, dark)
                    self.open_everything()
                    self.assert_fits(width)
                    self.assertEqual(self.browser.evaluate(OUTSIDE), [])
                    self.assert_clean()

    def test_a_table_that_scrolls_says_so(self):
        page = self.write_report("wide", RECORDINGS[0])
        self.at(page, 500)
        frame = "document.querySelector('#configurations .frame')"
        self.browser.wait_for(f"{frame}.classList.contains('more-right')", "sign of more to the right")
        self.assertTrue(self.browser.evaluate(f"{frame}.querySelector('.more').checkVisibility()"))
        self.use(f"{frame}.querySelector('.scroll').scrollLeft = 1e6;")
        self.browser.wait_for(f"{frame}.classList.contains('more-left') && !{frame}.classList.contains('more-right')", "end of the table")

    def test_texts_have_contrast_in_both_schemes(self):
        page = self.write_report("contrast", *RECORDINGS)
        for dark in (False, True):
            with self.subTest(dark=dark):
                self.at(page, 1400, dark)
                self.open_everything()
                self.use("""const filter = document.querySelector('#configurations input');
                    filter.value = 'NOPE = 3'; filter.dispatchEvent(new Event('input'));
                    document.querySelector('#coordinates .axis button').click();""")
                self.assertGreaterEqual(self.browser.evaluate(CONTRASTS)[0][0], 4.5, self.browser.evaluate(CONTRASTS))

    def test_colours_of_charts_have_contrast_in_both_schemes(self):
        light, dark = schemes()
        self.assertEqual(set(light) - {"tooltip"}, set(dark) - {"tooltip"})
        for scheme in (light, dark):
            for name in DRAWN:
                self.assertGreaterEqual(contrast(scheme[name], scheme["card"]), 3, name)
            for name in ("best", "default", "text", "text-soft", "roof"):  # Charts write with these.
                self.assertGreaterEqual(contrast(scheme[name], scheme["card"]), 4.5, name)

    def test_all_controls_are_reached_by_tab(self):
        self.at(self.write_report("keys", *RECORDINGS), 1400)
        self.use("document.querySelector('#configurations button.row').click();")
        count = self.use(f"const all = {CONTROLS}; all.forEach((part, i) => part.dataset.control = i); return all.length")
        self.assertGreater(count, 60)
        self.use("document.activeElement.blur(); window.scrollTo(0, 0);")
        reached = set()
        for _ in range(2 * count):
            for kind in ("keyDown", "keyUp"):
                self.browser.send("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            reached.add(self.browser.evaluate("document.activeElement?.dataset.control ?? null"))
            if len(reached - {None}) == count:
                break
        missed = [self.browser.evaluate(f"document.querySelector('[data-control=\"{i}\"]').outerHTML.slice(0, 100)")
                  for i in range(count) if str(i) not in reached]
        self.assertEqual(missed, [])

    def test_everything_has_a_name_in_the_accessibility_tree(self):
        self.at(self.write_report("names", *RECORDINGS), 1400)
        self.open_everything()
        nodes = [node for node in self.browser.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        roles = {"button", "link", "combobox", "searchbox", "image", "table", "figure", "dialog", "group", "DisclosureTriangle"}
        found = {}
        for node in nodes:
            role, name = node["role"]["value"], node.get("name", {}).get("value", "").strip()
            if role in roles:
                found.setdefault(role, []).append(name)
        for role in ("button", "link", "combobox", "searchbox", "image", "table", "dialog"):
            self.assertGreater(len(found.get(role, [])), 0, role)
            self.assertNotIn("", found[role], role)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main figure')].filter((one) => !one.querySelector('figcaption')).length"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main table')].filter((one) => !one.caption?.innerText).length"), 0)

    def test_axes_and_lines_of_the_coordinates_work_by_keyboard(self):
        self.at(self.write_report("lines", RECORDINGS[0]), 1400)
        pressed = self.use("""const first = document.querySelector('#coordinates .axis button');
            first.focus();
            first.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
            document.activeElement.click();
            return [document.activeElement.textContent, document.activeElement.getAttribute('aria-pressed')]""")
        self.assertEqual(pressed, ["32", "true"])
        self.use("""const canvas = document.querySelector('#coordinates canvas');
            for (const key of ['ArrowDown', 'Enter']) canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));""")
        self.assertIn("TILE_X=32", self.browser.evaluate("document.querySelector('#detail .configuration').textContent"))
        self.use("[...document.querySelectorAll('#coordinates button')].find((one) => one.textContent === 'Show in the table').click();")
        self.assertEqual(self.browser.evaluate("document.querySelector('#configurations input').value"), "TILE_X == 32")


if __name__ == "__main__":
    run_tests()
