"""Results and the machine in the T4 format of auto-tuners: https://github.com/odgaard/TuningSchema."""

import contextlib
import json
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ._refused import refusing
from .util import TIMES, CompilationFailedConfig, InvalidConfig, Result

VERSION = "1.0.0"
_PARTS = {"compilation": "compile_time", "benchmark": "benchmark_time", "framework": "framework_time", "search_algorithm": "strategy_time",
          "validation": "verification_time"}

__getattr__ = refusing("file_utils", "warptune writes T4 by store_output_file and store_metadata_file, and reads other input by its own "
                                     "definitions")


def _validity(result: Result) -> str:
    error = result.get("__error__")
    if error is None:
        return "correct"
    return "compile" if isinstance(error, CompilationFailedConfig) else "constraints" if isinstance(error, InvalidConfig) else "runtime"


def get_t4_results(results: Sequence[Result], tune_params: Mapping[str, Any], objective: str = "time") -> dict[str, Any]:
    """The results of a call as a T4 document."""
    other = {*tune_params, *TIMES, "timestamp", "times", "__error__"}
    return {"results": [
        {**({"timestamp": one["timestamp"]} if "timestamp" in one else {}),
         "configuration": {name: one[name] for name in tune_params if name in one},
         "times": {**{part: one[name] for part, name in _PARTS.items()}, "runtimes": one.get("times", [])},
         "invalidity": _validity(one), "correctness": 1,
         "measurements": [{"name": name, "value": value, "unit": "ms" if name.startswith("time") else ""}
                          for name, value in one.items() if name not in other],
         "objectives": [objective]} for one in results], "schema_version": VERSION, "metadata": {"timeunit": "milliseconds"}}


def _written(file_name: str, document: Mapping[str, Any], indent: str | None) -> None:
    path = Path(file_name if file_name.endswith(".json") else file_name + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=indent, default=lambda value: value.tolist()), encoding="utf-8")


def store_output_file(output_filename: str, results: Sequence[Result], tune_params: Mapping[str, Any], objective: str = "time") -> None:
    """Writes the results of a call as a T4 document."""
    _written(output_filename, get_t4_results(results, tune_params, objective), None)


def _output_of(*command: str) -> str:
    """The output of a program. Empty if the program cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def _tree(element: "ElementTree.Element") -> Any:
    """An element of XML as dictionaries, lists and texts."""
    if len(element) == 0:
        return element.text
    held: dict[str, Any] = {}
    for part in element:
        if part.tag in held:
            held[part.tag] = [*(held[part.tag] if isinstance(held[part.tag], list) else [held[part.tag]]), _tree(part)]
        else:
            held[part.tag] = _tree(part)
    return held


def _gpus() -> dict[str, Any]:
    """The description of the GPUs by nvidia-smi, without the list of processes."""
    text = _output_of("nvidia-smi", "--query", "-x")
    if not text:
        return {}
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return {}
    for gpu in root.findall("gpu"):
        for processes in gpu.findall("processes"):
            gpu.remove(processes)
    return {"nvidia-smi": {root.tag: _tree(root)}}


def _packages() -> list[str]:
    listed = []
    for name in ("warptune", "numpy", "cupy", "torch"):
        with contextlib.suppress(PackageNotFoundError):
            listed.append(f"{name}=={version(name)}")
    return listed


def get_t4_metadata() -> dict[str, Any]:
    """The machine and the packages as a T4 document."""
    hardware = _output_of("lshw", "-json").strip()
    try:
        described = json.loads(hardware)
    except json.JSONDecodeError:
        described = "error retrieving hardware description"
    return {"metadata": {"operating_system": "Linux",
                         "hardware": {"hardware_description": described if isinstance(described, list) else [described]},
                         "environment": {"device_query": _gpus(), "requirements": _packages()}}, "schema_version": VERSION}


def store_metadata_file(metadata_filename: str) -> None:
    """Writes the machine and the packages as a T4 document."""
    _written(metadata_filename, get_t4_metadata(), "  ")
