"""The data of docs/results.md: one TOML file a topic beside this file, and `page.toml`, which has the title, the order
of the topics, and the machines.

A topic has these keys:

    title    heading of its table
    what     what is measured, and why
    columns  headings of the table
    wide     columns that only the full page has (may be left out)
    detail   true: only the full page has the topic (may be left out)
    notes    pages below docs/ with the reasons and the raw output (may be left out)
    sources  where figures come from, by name; each has command, commit, date (of the commit) and machine
    rows     each has cells, one for each column; source, which may be left out where the topic has only one;
             and detail, as above

A cell is text, exactly as it was printed, or a list of three such numbers: the median, the lowest and the highest.
"""

import datetime
import pathlib
import re
import subprocess
import tomllib

FOLDER = "bench/results"
INDEX = "page.toml"
SOURCE_KEYS = {"command": str, "commit": str, "date": datetime.date, "machine": str}
TOPIC_KEYS = {"title": str, "what": str, "columns": list, "sources": dict, "rows": list}
OPTIONAL_KEYS = {"wide": list, "detail": bool, "notes": list}
ROW_KEYS = {"cells": list}
OPTIONAL_ROW_KEYS = {"source": str, "detail": bool}
INDEX_KEYS = {"title": str, "text": str, "topics": list, "machines": dict}


class Results:
    """What page.toml says, and the topics by name in its order. Raises OSError or tomllib.TOMLDecodeError."""

    def __init__(self, root):
        self.folder = pathlib.Path(root) / FOLDER
        self.index = tomllib.loads((self.folder / INDEX).read_text())
        self.topics = {name: read_topic(self.folder / f"{name}.toml") for name in self.index.get("topics", [])}


def read_topic(path):
    return tomllib.loads(pathlib.Path(path).read_text())


def source_of(topic, row):
    """The name of the source of a row, or None where the row names none and the topic has several or none."""
    names = list(topic["sources"])
    return row.get("source", names[0] if len(names) == 1 else None)


def wrong_keys(table, required, optional, place):
    """Keys of `table` that are missing, of another type, empty or unknown."""
    for key, kind in required.items():
        if key not in table:
            yield f"{place}: has no {key}"
    for key, value in table.items():
        kind = required.get(key) or optional.get(key)
        if kind is None:
            yield f"{place}: {key} is no known key"
        elif not isinstance(value, kind):
            yield f"{place}: {key} must be a {kind.__name__}"
        elif value in ("", [], {}):
            yield f"{place}: {key} is empty"


def wrong_cell(cell):
    """What is wrong with a cell, or None."""
    if isinstance(cell, str):
        return "has a line break or a |" if re.search(r"[\n|]", cell) else None
    if not (isinstance(cell, list) and len(cell) == 3 and all(isinstance(part, str) for part in cell)):
        return "is neither text nor three numbers in quotation marks"
    try:
        median, low, high = (float(part.replace(" ", "")) for part in cell)
    except ValueError:
        return "has a part that is no number"
    return None if low <= median <= high else "is not median, lowest, highest"


def date_of_commit(root, commit):
    """The day of a commit as git tells it, or None where git does not know the commit (as in a shallow clone)."""
    try:
        command = ["git", "-C", str(root), "log", "-1", "--format=%cs", f"{commit}^{{commit}}", "--"]
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    text = done.stdout.strip()
    return datetime.date.fromisoformat(text) if done.returncode == 0 and text else None


def wrong_source(root, source, machines, place):
    wrong = list(wrong_keys(source, SOURCE_KEYS, {}, place))
    yield from wrong
    if wrong:
        return
    if source["machine"] not in machines:
        yield f"{place}: machine {source['machine']} is not in {INDEX}"
    if not re.fullmatch(r"[0-9a-f]{7,40}", source["commit"]):
        yield f"{place}: {source['commit']} is no commit"
    elif (date := date_of_commit(root, source["commit"])) not in (None, source["date"]):
        yield f"{place}: commit {source['commit']} is of {date}, not of {source['date']}"


def wrong_row(topic, row, place):
    wrong = list(wrong_keys(row, ROW_KEYS, OPTIONAL_ROW_KEYS, place))
    yield from wrong
    if wrong:
        return
    if len(row["cells"]) != len(topic["columns"]):
        yield f"{place}: has {len(row['cells'])} cells for {len(topic['columns'])} columns"
    for number, cell in enumerate(row["cells"], 1):
        if problem := wrong_cell(cell):
            yield f"{place}: cell {number} {problem}"
    if (source := source_of(topic, row)) not in topic["sources"]:
        yield f"{place}: has no source" if source is None else f"{place}: there is no source {source}"


def wrong_topic(root, name, topic, machines):
    place = f"{FOLDER}/{name}.toml"
    wrong = list(wrong_keys(topic, TOPIC_KEYS, OPTIONAL_KEYS, place))
    yield from wrong
    if wrong:
        return
    for source_name, source in topic["sources"].items():
        yield from wrong_source(root, source, machines, f"{place}: source {source_name}")
    for number, row in enumerate(topic["rows"], 1):
        yield from wrong_row(topic, row, f"{place}: row {number}")
    for unused in set(topic["sources"]) - {source_of(topic, row) for row in topic["rows"]}:
        yield f"{place}: no row is of source {unused}"
    for column in set(topic.get("wide", [])) - set(topic["columns"]):
        yield f"{place}: wide names {column}, which is no column"
    for page in topic.get("notes", []):
        if not (pathlib.Path(root) / "docs" / page).is_file():
            yield f"{place}: there is no docs/{page}"


def problems(root, results):
    """What is wrong with the data, a line of text each."""
    wrong = list(wrong_keys(results.index, INDEX_KEYS, {}, f"{FOLDER}/{INDEX}"))
    yield from wrong
    if wrong:
        return
    machines = results.index["machines"]
    for path in sorted(results.folder.glob("*.toml")):
        if path.name != INDEX and path.stem not in results.topics:
            yield f"{FOLDER}/{path.name}: is not among the topics of {INDEX}"
    for name, topic in results.topics.items():
        yield from wrong_topic(root, name, topic, machines)
    used = {source.get("machine") for topic in results.topics.values() for source in topic.get("sources", {}).values()}
    for machine in sorted(set(machines) - used):
        yield f"{FOLDER}/{INDEX}: nothing was measured on machine {machine}"
