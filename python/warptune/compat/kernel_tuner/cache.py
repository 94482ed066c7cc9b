"""Cache files in the format of Kernel Tuner: JSON with a heading and an entry for each configuration."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._errors import InputError
from .util import ERRORS, ErrorConfig, Result

_END = "}\n}"


def cache_path(cache: str | os.PathLike[str]) -> Path:
    """The file of a cache: `.json` is added where it is missing."""
    text = os.path.expanduser(os.fspath(cache))
    return Path(text if text.endswith(".json") else text + ".json")


def key_of(configuration: Mapping[str, Any], names: Sequence[str]) -> str:
    """The key of a configuration: its values with commas."""
    return ",".join(str(configuration[name]) for name in names)


def _plain(value: Any) -> Any:
    """Converts numbers and arrays of NumPy to Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is not a value of a cache file")


def _entries_of(document: dict[str, Any]) -> dict[str, Result]:
    """The entries, with errors as objects."""
    entries: dict[str, Result] = document["cache"]
    for entry in entries.values():
        error = next((value for value in entry.values() if isinstance(value, str) and value in ERRORS), None)
        if error is not None:
            entry["__error__"] = ERRORS[error]
    return entries


def read_cache(path: Path) -> dict[str, Any]:
    """Reads a cache file, even if its end is missing because it was not closed. Raises `InputError` for any other file."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if not text.endswith((_END, "}}}")):
        text = text.rstrip(",") + _END
    try:
        document = json.loads(text)
        document["cache"] = _entries_of(document)
        document["device_name"], document["kernel_name"], document["tune_params_keys"]
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not a cache file of Kernel Tuner: {error}") from None
    return dict(document)


def _numbers(problem_size: Any) -> list[str]:
    listed = problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]
    return [str(one) for one in listed]


def check_heading(document: Mapping[str, Any], path: Path, kernel_name: str, problem_size: Any, names: list[str]) -> None:
    """Raises `InputError` if the cache belongs to another kernel, problem or space."""
    if document["kernel_name"] != kernel_name:
        raise InputError(f"{path} has results of the kernel {document['kernel_name']}, and not of {kernel_name}")
    if "problem_size" in document and not callable(problem_size) and _numbers(document["problem_size"]) != _numbers(problem_size):
        raise InputError(f"{path} has results of the problem size {document['problem_size']}, and not of {problem_size}")
    if document["tune_params_keys"] != names:
        raise InputError(f"{path} has the parameters {', '.join(document['tune_params_keys'])}, and not {', '.join(names)} in this order")


def check_device(document: Mapping[str, Any], path: Path, device_name: str) -> None:
    """Raises `InputError` if the cache belongs to another GPU."""
    if document["device_name"] != device_name:
        raise InputError(f"{path} has results of {document['device_name']}, and this is {device_name}")


def _entry_line(key: str, result: Mapping[str, Any]) -> str:
    kept = {name: str(value) if isinstance(value, ErrorConfig) else value for name, value in result.items()}
    return json.dumps({key: kept}, default=_plain)[1:-1]


def write_cache(path: Path, heading: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes a closed cache file. The file is replaced in one step, so another program never reads a part of it.

    `heading` has `device_name`, `kernel_name`, `problem_size`, `tune_params_keys`, `tune_params` and `objective`.
    """
    head = json.dumps({**heading, "cache": {}}, default=_plain, indent="")[:-len(_END)]
    lines = [_entry_line(key, result) for key, result in entries.items()]
    written = path.with_name(f"{path.name}.{os.getpid()}.new")
    written.write_text(head + "".join(f"\n{line}," for line in lines)[:-1] + _END, encoding="utf-8")
    written.replace(path)
