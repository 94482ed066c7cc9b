"""Writes a topic back as TOML, one row a line, and replaces the rows of one run; topics.py says what a topic has."""

import json
import pathlib

import topics


def quoted(text):
    """A basic string of TOML; JSON escapes a subset of what TOML does."""
    return json.dumps(text, ensure_ascii=False)


def array(values):
    return "[" + ", ".join(array(value) if isinstance(value, list) else quoted(value) for value in values) + "]"


def row_text(row):
    parts = [f"cells = {array(row['cells'])}"]
    parts += [f"source = {quoted(row['source'])}"] if "source" in row else []
    parts += ["detail = true"] if row.get("detail") else []
    return "  {" + ", ".join(parts) + "},"


def to_toml(topic):
    lines = [f"title = {quoted(topic['title'])}", 'what = """', topic["what"].strip("\n"), '"""', f"columns = {array(topic['columns'])}"]
    for key in ("wide", "notes"):
        lines += [f"{key} = {array(topic[key])}"] if key in topic else []
    lines += ["detail = true"] if topic.get("detail") else []
    lines += ["rows = [", *map(row_text, topic["rows"]), "]"]
    for name, source in topic["sources"].items():
        lines += ["", f"[sources.{name}]", f"command = {quoted(source['command'])}", f"commit = {quoted(source['commit'])}",
                  f"date = {source['date'].isoformat()}", f"machine = {quoted(source['machine'])}"]
    return "\n".join(lines) + "\n"


def with_run(topic, name, source, rows, keys):
    """The topic with the rows of a new run. A row takes the place of the row with the same first `keys` cells and stays headline
    or detail as that one was; a new row goes to the end, as detail. The source of the run is called `name`; sources that no row is
    of any more are dropped."""
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
