#!/usr/bin/env python3
"""Writes docs/results.md and docs/results-all.md from the data of this folder; topics.py says what a file of data has.

    bench/results/render.py [--root FOLDER] [--check]

docs/results.md has the headline figures alone: at most 200 lines. docs/results-all.md has every topic, row and column.
Errors in the data are printed, and the exit code is then 1. With --check nothing is written.
"""

import argparse
import pathlib
import sys
import textwrap
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import topics  # noqa: E402

PAGE, FULL_PAGE = "docs/results.md", "docs/results-all.md"
MAX_LINES, MAX_COLUMNS, MAX_TABLE_COLUMNS = 200, 100, 145
MARK = "<!-- Made by bench/results/render.py from bench/results/*.toml: change those. -->"


def wrapped(text, **options):
    return textwrap.wrap(" ".join(text.split()), MAX_COLUMNS, break_long_words=False, break_on_hyphens=False, **options)


def cell_text(cell):
    return cell if isinstance(cell, str) else f"{cell[0]} ({cell[1]} to {cell[2]})"


def table_line(cells):
    return "| " + " | ".join(cells) + " |"


class Runs:
    """The runs that a page names, numbered in the order in which it does."""

    def __init__(self):
        self.numbers = {}

    def number(self, source):
        run = tuple(str(source[key]) for key in topics.SOURCE_KEYS)
        return str(self.numbers.setdefault(run, len(self.numbers) + 1))

    def lines(self):
        rows = [[str(number), f"`{command}`", *rest] for (command, *rest), number in self.numbers.items()]
        return ["## Runs", *table(["run", "command", "commit", "date of the commit", "machine"], rows)]


def table(headings, rows):
    return ["", table_line(headings), "|" + "---|" * len(headings), *map(table_line, rows), ""]


def topic_lines(topic, runs, full):
    """The lines of one topic; empty if none of its rows belongs on the page."""
    rows = [row for row in topic["rows"] if full or not row.get("detail")]
    if not rows or topic.get("detail") and not full:
        return []
    shown = [i for i, name in enumerate(topic["columns"]) if full or name not in topic.get("wide", [])]
    numbers = [runs.number(topic["sources"][topics.source_of(topic, row)]) for row in rows]
    cells = [[cell_text(row["cells"][i]) for i in shown] for row in rows]
    headings = [topic["columns"][i] for i in shown]
    further = [f"[{pathlib.Path(page).stem}]({page})" for page in topic.get("notes", [])]
    text = topic["what"] + (f" Notes: {', '.join(further)}." if further else "")
    if len(set(numbers)) == 1:
        text += f" Run {numbers[0]}."
    else:
        headings.append("run")
        cells = [row + [number] for row, number in zip(cells, numbers)]
    return [f"## {topic['title']}", *wrapped(text), *table(headings, cells)]


def page_text(results, full=False):
    """The text of docs/results.md, or of docs/results-all.md if `full` is true."""
    index, runs = results.index, Runs()
    other = "[results.md](results.md) has the headline figures" if full else "[results-all.md](results-all.md) has every row and column"
    title = f"# {index['title']}{', every row and column' if full else ''}"
    lines = [title, MARK, "", *wrapped(f"{index['text']} {other}."), ""]
    for topic in results.topics.values():
        lines += topic_lines(topic, runs, full)
    lines += runs.lines()
    lines += wrapped(" ".join(f"Machine {name}: {what}." for name, what in index["machines"].items()))
    return "\n".join(lines) + "\n"


def page_problems(name, text, max_lines):
    lines = text.splitlines()
    if max_lines and len(lines) > max_lines:
        yield f"{name}: {len(lines)} lines, {max_lines} are allowed; give rows or topics `detail = true`"
    for number, line in enumerate(lines, 1):
        allowed = MAX_TABLE_COLUMNS if line.startswith("|") else MAX_COLUMNS
        if max_lines and len(line) > allowed:
            yield f"{name}:{number}: {len(line)} columns, {allowed} are allowed"


def pages(results):
    """Path, text and the largest number of lines (0: any) of each page."""
    yield PAGE, page_text(results), MAX_LINES
    yield FULL_PAGE, page_text(results, full=True), 0


def find_problems(root):
    """A line of text for each error in the data or in the pages below `root`."""
    try:
        results = topics.Results(root)
    except (OSError, tomllib.TOMLDecodeError) as error:
        yield f"{topics.FOLDER}: {error}"
        return
    wrong = list(topics.problems(root, results))
    yield from wrong
    if wrong:
        return
    for name, text, max_lines in pages(results):
        yield from page_problems(name, text, max_lines)
        path = pathlib.Path(root) / name
        if not path.is_file() or path.read_text() != text:
            yield f"{name}: is not what {topics.FOLDER} gives; run {topics.FOLDER}/render.py"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check:
        results = topics.Results(options.root)
        if not list(topics.problems(options.root, results)):
            for name, text, _ in pages(results):
                (options.root / name).write_text(text)
    wrong = list(find_problems(options.root))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
