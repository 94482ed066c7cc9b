"""Results files, and headers that are made of them, in the formats of Kernel Tuner."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._errors import InputError
from .source import is_file_name
from .util import Result, get_objective_defaults


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"{path} cannot be read as a results file: {error}") from None
    if not isinstance(document, dict) or document.get("version_number") != "1.0":
        raise InputError(f"{path} is not a results file of version 1.0")
    return document


def _check_same(document: Mapping[str, Any], path: Path, kernel_name: str, names: list[str], objective: str) -> None:
    if document["kernel_name"] != kernel_name:
        raise InputError(f"{path} has results of the kernel {document['kernel_name']}, and not of {kernel_name}")
    if any(name not in document["tunable_parameters"] for name in names):
        raise InputError(f"{path} has results of other parameters: {', '.join(document['tunable_parameters'])}")
    if document["objective"] != objective:
        raise InputError(f"{path} has results for the objective {document['objective']}, and not for {objective}")


def _plain_name(gpu: str) -> str:
    return re.sub(r"[^0-9a-zA-Z]+", "_", gpu.strip())


def _size_text(problem_size: Any) -> str:
    return "x".join(str(one) for one in problem_size) if isinstance(problem_size, (list, tuple)) else str(problem_size)


def _source_text(kernel_string: Any) -> dict[str, str]:
    if not isinstance(kernel_string, (str, os.PathLike)) or not kernel_string:
        return {}
    is_file = isinstance(kernel_string, os.PathLike) or is_file_name(kernel_string)
    return {"kernel_string": Path(kernel_string).read_text(encoding="utf-8") if is_file else str(kernel_string)}


def _top(results: Sequence[Result], objective: str, higher_is_better: bool, percent: float) -> list[Result]:
    """The results whose objective is within some percent of the best."""
    rated = [one for one in results if objective in one and "__error__" not in one]
    if not rated:
        raise InputError(f"no result has the objective {objective}")
    share = percent / 100
    if higher_is_better:
        best = max(one[objective] for one in rated)
        return [one for one in rated if one[objective] > best * (1 - share) or one[objective] == best]
    best = min(one[objective] for one in rated)
    return [one for one in rated if one[objective] < best * (1 + share) or one[objective] == best]


def store_results(results_filename: str | os.PathLike[str], kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Any],
                  problem_size: Any, results: Sequence[Result], env: Mapping[str, Any], top: float = 3, objective: str | None = None,
                  objective_higher_is_better: bool | None = None) -> None:
    """Stores the results within `top` percent of the best in a JSON file.

    Entries of the same GPU and problem size are replaced, others are kept. Raises `InputError` if the file belongs to another kernel.
    """
    objective, higher = get_objective_defaults(objective, objective_higher_is_better)
    path = Path(results_filename)
    document: dict[str, Any] = {"version_number": "1.0", "kernel_name": kernel_name, **_source_text(kernel_string), "objective": objective,
                                "objective_higher_is_better": higher, "tunable_parameters": list(tune_params), "data": []}
    if path.is_file():
        document = _read(path)
        _check_same(document, path, kernel_name, list(tune_params), objective)
    place = {"device_name": _plain_name(env["device_name"]), "problem_size": _size_text(problem_size)}
    kept = [one for one in document["data"] if any(one[name] != value for name, value in place.items())]
    added = [{**place, "tunable_parameters": {name: one[name] for name in tune_params}, objective: one[objective]}
             for one in _top(results, objective, higher, top)]
    path.write_text(json.dumps({**document, "data": kept + added}, indent="", default=lambda value: value.tolist()), encoding="utf-8")


class TuneResults:
    """Finds the best configuration in a file that `store_results` wrote."""

    def __init__(self, results_filename: str | os.PathLike[str]) -> None:
        """Raises `InputError` if the file is of another kind, or has no results."""
        self.meta = _read(Path(results_filename))
        self.data: list[dict[str, Any]] = self.meta["data"]
        self.objective = str(self.meta["objective"])
        self.objective_higher_is_better = bool(self.meta.get("objective_higher_is_better", False))
        if not self.data:
            raise InputError(f"{os.fspath(results_filename)} has no results")

    def get_best_config(self, gpu_name: str = "default", problem_size: Any = None) -> dict[str, Any]:
        """The best configuration for a GPU and a problem size.

        If the size has no results, it is the configuration that is stored for most sizes. If the GPU has none, results of all GPUs count.
        """
        choose = max if self.objective_higher_is_better else min
        known = [one for one in self.data if one["device_name"] == _plain_name(gpu_name)]
        exact = [one for one in known if problem_size and one["problem_size"] == _size_text(problem_size)]
        if exact:
            return dict(choose(exact, key=lambda one: one[self.objective])["tunable_parameters"])
        groups: dict[str, list[dict[str, Any]]] = {}
        for one in known or self.data:
            groups.setdefault(str(one["tunable_parameters"]), []).append(one)
        most = max(len(group) for group in groups.values())
        common = [group for group in groups.values() if len(group) == most]
        return dict(choose(common, key=lambda group: sum(one[self.objective] for one in group))[0]["tunable_parameters"])


def create_device_targets(header_filename: str | os.PathLike[str], results_filename: str | os.PathLike[str], objective: str | None = None,
                          objective_higher_is_better: bool | None = None) -> None:
    """Not supported: raises `InputError`. `warptune export --format header` writes a header."""
    raise InputError("create_device_targets has no equivalent: warptune export writes a header with the best configurations")
