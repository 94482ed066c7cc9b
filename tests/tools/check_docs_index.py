#!/usr/bin/env python3
"""Fails for a page below docs/ that no index lists, and for a link to a heading that does not exist. docs/index.md lists the pages of docs/ and
the index (index.md or README.md) of each folder below it. Such an index lists the pages of its folder."""

import re

from repository import files, lines, run_check

INDEX = "docs/index.md"
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def prose(root, page):
    """The lines of a page outside of code, with their numbers."""
    fenced = False
    for number, line in enumerate(lines(root, page), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(root, page):
    """The anchors of the page's headings, as GitHub makes them: the second heading with the same text ends in -1."""
    names = {}
    for _, line in prose(root, page):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            names[name] = names.get(name, -1) + 1
    return {f"{name}-{turn}" if turn else name for name, count in names.items() for turn in range(count + 1)}


def links(root, page):
    """For each link to a page of the repository: the line's number, the page's path from the root, and the heading."""
    for number, line in prose(root, page):
        for target, heading in LINK.findall(line):
            if "://" not in target:
                path = (root / page.parent / target).resolve() if target else root / page
                yield number, path, heading[1:]


def index_of(folder, pages):
    return next((folder / name for name in ("index.md", "README.md") if folder / name in pages), None)


def find_problems(root):
    pages = files(root, ".md")
    known = {page: anchors(root, page) for page in pages}
    linked = {page: set() for page in pages}
    for page in pages:
        for number, path, heading in links(root, page):
            target = path.relative_to(root) if path.is_relative_to(root) else None
            linked[page].add(target)
            if heading and heading not in known.get(target, {heading}):
                yield f"{page}:{number}: {target} has no heading #{heading}"
    for page in pages:
        if page.parts[0] != "docs" or str(page) == INDEX:
            continue
        index = index_of(page.parent, pages)
        if index is None:
            yield f"{page}: {page.parent} has neither index.md nor README.md"
        elif page == index:
            above = index_of(page.parent.parent, pages)
            if above is None or page not in linked[above]:
                yield f"{page}: {above or INDEX} does not list it"
        elif page not in linked[index]:
            yield f"{page}: {index} does not list it"


if __name__ == "__main__":
    run_check(find_problems)
