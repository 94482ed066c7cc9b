"""Writes a topic back as TOML, and replaces the rows of one run; topics.py says what a topic has."""

import json
import pathlib

import topics

MAX_COLUMNS = 120


def quoted(text):
    """A basic string of TOML; JSON escapes a subset of what TOML does."""
    return json.dumps(text, ensure_ascii=False)


def value_text(value):
    return "[" + ", ".join(value_text(part) for part in value) + "]" if isinstance(value, list) else quoted(value)


def array(key, values):
    """`key = [...]`, broken between values so that a line has at most MAX_COLUMNS columns where that is possible."""
    lines = [f"{key} = ["]
    for i, value in enumerate(values):
        text = value_text(value) + ("]" if i == len(values) - 1 else ",")
        space = "" if lines[-1].endswith(" = [") else " "
        if len(lines[-1] + space + text) > MAX_COLUMNS:
            lines.append("  " + text)
        else:
            lines[-1] += space + text
    return lines


def row_lines(row):
    lines = ["", "[[rows]]"]
    lines += [f"source = {quoted(row['source'])}"] if "source" in row else []
    lines += ["detail = true"] if row.get("detail") else []
    return lines + array("cells", row["cells"])


def to_toml(topic):
    lines = [f"title = {quoted(topic['title'])}", 'what = """', topic["what"].strip("\n"), '"""']
    for key in ("columns", "wide", "notes"):
        lines += array(key, topic[key]) if key in topic else []
    lines += ["detail = true"] if topic.get("detail") else []
    for name, source in topic["sources"].items():
        lines += ["", f"[sources.{name}]", f"command = {quoted(source['command'])}",
                  f"commit = {quoted(source['commit'])}",
                  f"date = {source['date']}", f"machine = {quoted(source['machine'])}"]
    for row in topic["rows"]:
        lines += row_lines(row)
    return "\n".join(lines) + "\n"


def with_run(topic, name, source, rows, keys):
    """The topic with the rows of a new run, whose source is called `name`, with its commit where other rows have that name.

    A row takes the place of the row with the same first `keys` cells and stays headline or detail, as that one was. A
    new row goes to the end as detail. A source that no row names any more is dropped."""
    replaced = {tuple(cells[:keys]) for cells in rows}
    kept = {topics.source_of(topic, row) for row in topic["rows"] if tuple(row["cells"][:keys]) not in replaced}
    if name in kept and topic["sources"][name] != source:
        name = f"{name}-{source['commit']}"
    known = {tuple(row["cells"][:keys]): i for i, row in enumerate(topic["rows"])}
    result = [dict(row, source=topics.source_of(topic, row)) for row in topic["rows"]]
    for cells in rows:
        place = known.get(tuple(cells[:keys]))
        if place is None:
            result.append({"cells": cells, "source": name, "detail": True})
        else:
            result[place] = dict(result[place], cells=cells, source=name)
    used = [row["source"] for row in result]
    sources = {key: value for key, value in {**topic["sources"], name: source}.items() if key in used}
    return dict(topic, rows=result, sources=sources)


def write_topic(path, topic):
    pathlib.Path(path).write_text(to_toml(topic))
