#!/usr/bin/env python3
"""Fails if a page does not name something that a list of the sources has: a strategy, a metric of warptune's own, or a command."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from repository import lines, run_check  # noqa: E402

# The list, what an entry looks like, the page, its heading, and what names an entry there.
LISTS = (("search/strategies/strategy_list.h", r"^\s+STRATEGY\((\w+)\)", "docs/search.md", None, "`{}`", "strategy"),
         ("model/own_metrics.h", r'^inline constexpr const char\* k\w+ = "(\w+)";', "docs/database.md", "### Counters", "`{}`", "metric"),
         ("tuner/commands/command.h", r"^\s+COMMAND\((\w+)\)", "docs/design.md", "## Command line", r"(?:^warptune |\| ){}\b", "command"))


def section(text, heading):
    """The lines below a heading, up to the next heading of its level; the whole text without a heading."""
    if heading is None:
        return text
    if heading not in text:
        return []
    rest = text[text.index(heading) + 1:]
    level = heading.split(" ")[0]
    ends = (number for number, line in enumerate(rest) if re.match(r"#+ ", line) and len(line.split(" ")[0]) <= len(level))
    return rest[:next(ends, len(rest))]


def find_problems(root):
    for source, entry, page, heading, form, what in LISTS:
        if not (root / source).is_file() or not (root / page).is_file():
            yield f"{source} or {page}: is not there"
            continue
        names = [name for line in lines(root, source) for name in re.findall(entry, line)]
        if not names:
            yield f"{source}: has no {what}"
        text = section(lines(root, page), heading)
        for name in names:
            if not any(re.search(form.format(re.escape(name)), line) for line in text):
                yield f"{page}: does not name the {what} {name} of {source}" + (f" below '{heading}'" if heading else "")


if __name__ == "__main__":
    run_check(find_problems)
