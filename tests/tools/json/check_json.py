#!/usr/bin/env python3
"""check_json.py FILE...: compares JSON outputs of warptune with their schemas (tuner/json_output/schemas).

A file holds one JSON document, or a JSON document on each line. The `format` of a document names its schema. The check is
stricter than the schema: it also fails on a key that the schema does not have. Exit code 77: jsonschema is not installed."""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = pathlib.Path(__file__).resolve().parents[3] / "tuner/json_output/schemas"
SHARED = "shared.schema.json"


def schema_names():
    return sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json") if path.name != SHARED)


def with_local_references(part, prefix):
    """A copy of a part of a schema in which every reference leads to a definition of the same document."""
    if isinstance(part, list):
        return [with_local_references(item, prefix) for item in part]
    if not isinstance(part, dict):
        return part
    part = {key: with_local_references(value, prefix) for key, value in part.items()}
    if "$ref" in part:
        if part["$ref"].startswith("#/$defs/"):
            part["$ref"] = prefix + part["$ref"].removeprefix("#/$defs/")
        else:
            part["$ref"] = part["$ref"].replace(f"{SHARED}#/$defs/", "#/$defs/shared/")
    if "properties" in part:
        part.setdefault("additionalProperties", False)
    return part


def schema_of(name):
    """The schema with the shared objects in it. No unknown keys are allowed."""
    def read(file):
        return json.loads((SCHEMAS / file).read_text())

    own = read(f"{name}.schema.json")
    schema = with_local_references({key: value for key, value in own.items() if key != "$defs"}, "#/$defs/own/")
    schema["$defs"] = {"own": with_local_references(own.get("$defs", {}), "#/$defs/own/"),
                       "shared": with_local_references(read(SHARED)["$defs"], "#/$defs/shared/")}
    return schema


class Checker:
    """Checks documents, and keeps the names of their schemas."""

    def __init__(self):
        self.validators = {}
        self.seen = set()

    def problems_of(self, document):
        name = document.get("format", "").removeprefix("warptune-") if isinstance(document, dict) else ""
        if name not in schema_names():
            return [f"format: expected one of {' '.join(schema_names())}, found '{name}'"]
        self.seen.add(name)
        if name not in self.validators:
            self.validators[name] = jsonschema.Draft202012Validator(schema_of(name))
        return [text for error in self.validators[name].iter_errors(document) for text in texts_of(error)]


def texts_of(error):
    """The most specific reasons: of the branches of a oneOf, those of the branch that fits best."""
    if error.context:
        branches = {}
        for one in error.context:
            branches.setdefault(one.schema_path[0], []).append(one)
        # A branch for another event or for null fails at its own start.
        best = max(branches.values(), key=lambda found: min(len(one.absolute_path) for one in found))
        for one in best:
            yield from texts_of(one)
    else:
        place = "/".join(str(part) for part in error.absolute_path) or "(top)"
        yield f"{place}: {error.message[:300]}"


def documents_of(text):
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def main(files):
    checker = Checker()
    failed = False
    for file in files:
        for document in documents_of(pathlib.Path(file).read_text()):
            for problem in checker.problems_of(copy.copy(document)):
                print(f"{file}: {problem}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(77 if jsonschema is None else main(sys.argv[1:]))
