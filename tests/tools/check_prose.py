#!/usr/bin/env python3
"""Fails on words and turns that unwelcome_words.txt lists, and on sentences that are too long to be read once.

prose/passages.py takes the prose out of a file: docs, comments, descriptions, help and messages. Two folders of docs are left out,
because warptune writes them from descriptions that are checked.

A sentence ends at a full stop, an exclamation mark or a question mark. It also ends where its passage ends: at a blank line, and
with a list item, a table's cell, a heading, or a column of a table within a comment. It does not end at a colon or a semicolon,
because the reader has to keep both sides in mind. The full stop of an abbreviation ("e.g.") or an initial ("J.") does not end it.
Every token with a letter or a digit is a word. Inline code is one word, and a list of inline code is one word, too.

LIMITS were chosen from the sentences of at least four words that the tree had when this check was written. Of those in comments
96 % were within the limit, in messages 98 %, in pages 92 %. Guides of technical English (ASD-STE100) ask for at most 25 words.

The places that prose_not_yet.txt lists may have offenders. One that has none fails: the list only gets shorter.

    check_prose.py                   what CI runs
    check_prose.py PLACE...          all offenders of these files and folders, listed in prose_not_yet.txt or not
    check_prose.py --report          how many offenders each folder has"""

import argparse
import bisect
import collections
import pathlib
import re
import sys
from typing import NamedTuple

from prose.passages import CODE, passages_of
from repository import ROOT, files, lines

WORDS, NOT_YET = "tests/tools/unwelcome_words.txt", "tests/tools/prose_not_yet.txt"
LIMITS = {"page": 35, "comment": 30, "message": 25}  # Words of a sentence.
WRITTEN_BY_WARPTUNE = ("docs/kernels/", "docs/lab/")
NO_TEXT = {".zst", ".svg", ".css", ".html", ".json", ".gz", ".txt"}
ABBREVIATIONS = {"e.g.", "i.e.", "cf.", "vs.", "etc.", "no.", "fig.", "al.", "approx.", "resp.", "sec."}
SENTENCE_BEGINS = r"(?:(?<=[\n.;]) ?)"


class Offender(NamedTuple):
    path: pathlib.Path
    line: int
    kind: str  # "word" or "length"
    problem: str


def ends_sentence(token):
    bare = token.rstrip(")\"'*_]")
    return bare.endswith((".", "!", "?")) and bare.lstrip("(").lower() not in ABBREVIATIONS and not re.fullmatch(r"\(?[A-Z]\.", bare)


def sentences(text):
    """(offset, words) of each sentence of a passage."""
    start, words, after_code = 0, [], False
    for token in re.finditer(r"\S+", text):
        code = CODE in token.group()
        if re.search(r"\w", token.group()) and not (code and after_code):
            if not words:
                start = token.start()
            words.append(token.group())
        after_code = code
        if ends_sentence(token.group()) and words:
            yield start, words
            words, after_code = [], False
    if words:
        yield start, words


def long_sentences(path, passages):
    for passage in passages:
        for offset, words in sentences(passage.text):
            if len(words) > LIMITS[passage.kind]:
                begins = " ".join(words[:8]).replace(CODE, "`...`")
                yield Offender(path, passage.line_at(offset), "length",
                               f"a sentence of {len(words)} words, at most {LIMITS[passage.kind]}: {begins} ...")


def unwelcome_words(root):
    """(expression, what to write instead, why) of each line of the list.

    An expression ends at the border of a word. `matches` checks that it also begins at one: a search for a text that begins with
    fixed letters is many times faster."""
    for line in lines(root, WORDS):
        if line.strip() and not line.startswith("#"):
            pattern, instead, why = (line.split(" | ") + [""])[:3]
            begins, pattern = (SENTENCE_BEGINS, pattern[1:]) if pattern.startswith("^") else ("", pattern)
            yield re.compile(f"{begins}(?:{pattern})(?!\\w)"), instead, why


def matches(expression, text):
    return (found for found in expression.finditer(text)
            if found.start() == 0 or not (text[found.start() - 1].isalnum() and found.group()[0].isalnum()))


def find_words(root, texts):
    """`texts` are (path, passages). All of them are searched as one text."""
    joined, places, size = [], [], 0
    for path, passages in texts:
        for passage in passages:
            places.append((size, path, passage))
            # A message may be a part of a sentence: it does not count as the beginning of one.
            joined.append(("\t" if passage.kind == "message" else "\n") + passage.text.replace("\n", " ").lower())
            size += len(joined[-1])
    text, starts = "".join(joined), [start for start, _, _ in places]
    for expression, instead, why in unwelcome_words(root):
        for found in matches(expression, text):
            start, path, passage = places[bisect.bisect_right(starts, max(found.start(), found.end() - 1)) - 1]
            yield Offender(path, passage.line_at(max(0, found.start() - start - 1)), "word",
                           f'"{found.group().strip().replace(CODE, "`...`")}": {instead}' + (f" ({why})" if why else ""))


def read(root):
    """(path, passages) of each file that has prose."""
    for path in files(root):
        if path.suffix not in NO_TEXT and not path.as_posix().startswith(WRITTEN_BY_WARPTUNE):
            passages = list(passages_of(path, "\n".join(lines(root, path)) + "\n"))
            if passages:
                yield path, passages


def find_offenders(root, texts):
    offenders = list(find_words(root, texts))
    for path, passages in texts:
        offenders += long_sentences(path, passages)
    return sorted(offenders)


def is_below(path, place):
    """A place is a file, a folder with all below it, or `FOLDER/*`: the files of a folder, without the folders in it."""
    if place.endswith("/*"):
        return path.parent.as_posix() == place[:-2]
    return path.as_posix() == place.rstrip("/") or path.as_posix().startswith(place.rstrip("/") + "/")


def find_problems(root, offenders):
    listed = lines(root, NOT_YET) if (root / NOT_YET).is_file() else []
    listed = [line for line in listed if line and not line.startswith("#")]
    for place in listed:
        if not any(is_below(offender.path, place) for offender in offenders):
            yield f"{NOT_YET}: {place} has no offenders: remove the line"
    for offender in offenders:
        if not any(is_below(offender.path, place) for place in listed):
            yield f"{offender.path}:{offender.line}: {offender.problem}"


def report(texts, offenders):
    """Counts of each folder, two levels deep; files of `docs` by themselves."""
    counts = collections.defaultdict(collections.Counter)
    for path, passages in texts:
        counts["/".join(path.parts[:2])]["sentences"] += sum(1 for passage in passages for _ in sentences(passage.text))
    for offender in offenders:
        counts["/".join(offender.path.parts[:2])][offender.kind] += 1
    names = collections.defaultdict(collections.Counter)
    for name, count in counts.items():
        is_folder_of_files = "." in pathlib.PurePath(name).name and not name.startswith("docs/")
        names[str(pathlib.PurePath(name).parent) if is_folder_of_files else name].update(count)
    print(f"{'words':>6} {'long':>6} {'sentences':>10}")
    for name, count in sorted(names.items()):
        print(f"{count['word']:6} {count['length']:6} {count['sentences']:10}  {name}")
    total = sum(names.values(), collections.Counter())
    print(f"{total['word']:6} {total['length']:6} {total['sentences']:10}  together")


def main():
    parser = argparse.ArgumentParser(description="Finds words, turns and long sentences that are hard to read.")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the source tree to check")
    parser.add_argument("--report", action="store_true", help="print how many offenders each folder has")
    parser.add_argument("paths", nargs="*", metavar="PLACE",
                        help="a file, a folder or FOLDER/* (its files alone), from the root: print all offenders")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    texts = list(read(root))
    offenders = find_offenders(root, texts)
    if arguments.report:
        report(texts, offenders)
        return 0
    if arguments.paths:
        problems = [f"{offender.path}:{offender.line}: {offender.problem}" for offender in offenders
                    if any(is_below(offender.path, path) for path in arguments.paths)]
    else:
        problems = list(find_problems(root, offenders))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
