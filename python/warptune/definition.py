"""Writes a kernel that is described in Python as the files of a definition."""

import json
import math
import operator
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._errors import InputError
from .constraints import constraint_text

KERNEL_KEYS = ("name", "description", "about", "vendor", "entry", "language", "compiler", "flags", "libraries", "architecture_specific",
               "defines", "hints")
"""The keys of `[kernel]` that are arguments of `Kernel` with the same names."""


def toml_value(value: object) -> str:
    """A value as TOML writes it on one line. Raises `InputError` for what TOML cannot hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{value} is not a value of a definition: expected a finite number")
        return float.__repr__(value)  # A subclass, such as NumPy's, may have another `repr`.
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_value(str(key))} = {toml_value(held)}" for key, held in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(toml_value(held) for held in value) + "]"
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{value!r} is not a value of a definition: expected a bool, a number, text, a list or a mapping") from None


def _tables(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of the file by their names."""
    kernel = {key: definition[key] for key in KERNEL_KEYS if definition.get(key) is not None}
    tables: dict[str, Any] = {"kernel": kernel}
    for table in ("problem", "problem_values", "parameters", "default", "launch", "host", "check", "work"):
        if definition.get(table) is not None:
            tables[table] = definition[table]
    if definition.get("constraints"):
        tables["constraints"] = {"list": definition["constraints"]}
    return tables


def toml_text(definition: Mapping[str, Any], source: str) -> str:
    """The text of the `.toml` file. `source` is the path of the CUDA source."""
    tables = _tables(definition)
    tables["kernel"]["source"] = source
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{toml_value(str(key))} = {toml_value(value)}" for key, value in table.items()]
    for name, key in (("recommended", "recommended"), ("argument", "arguments"), ("variant", "variants")):
        for table in definition.get(key) or ():
            lines.append(f"[[{name}]]")
            lines += [f"{toml_value(str(entry))} = {toml_value(value)}" for entry, value in table.items()]
    return "\n".join(lines) + "\n"


def is_source_text(source: object) -> bool:
    """Whether this is CUDA source and not the path of a file: a path has one line."""
    return isinstance(source, str) and "\n" in source


def translated(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The definition without missing entries, and with its functions as text, so that it can be compared and pickled."""
    plain = {key: value for key, value in definition.items() if value is not None}
    names = {*plain.get("parameters", {}), *plain.get("problem", {})}
    if "constraints" in plain:
        plain["constraints"] = [_constraint(one, names, plain) for one in plain["constraints"]]
    if not is_source_text(plain["source"]):
        plain["source"] = str(Path(plain["source"]).expanduser().resolve())
    return plain


def _constraint(constraint: object, names: set[str], definition: Mapping[str, Any]) -> object:
    if isinstance(constraint, Mapping):
        return {**constraint, "expression": constraint_text(constraint["expression"], names, definition)}
    return constraint_text(constraint, names, definition)


class DefinitionFiles:
    """The files of a definition in a temporary folder, which is removed when this object is destroyed."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="warptune-"))
        weakref.finalize(self, _remove, self.folder, os.getpid())
        source = definition["source"]
        self.readable: list[str] = []
        if is_source_text(source):
            (self.folder / "source.cu").write_text(source, encoding="utf-8")
            source = "source.cu"
        else:
            self.readable.append(str(Path(source).parent))
        self.path = self.folder / "kernel.toml"
        self.path.write_text(toml_text(definition, source), encoding="utf-8")


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # A forked process must not remove its parent's files.
        shutil.rmtree(folder, ignore_errors=True)
