"""The errors of configurations, and functions that compute metrics, totals and texts from results."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any

from ..._errors import InputError

Result = dict[str, Any]
"""A configuration with its time in milliseconds (`time`), its metrics, and the times that were spent on it."""


class ErrorConfig(str):
    """Why a configuration has no time. Its text is the name of its class."""

    __slots__ = ()

    def __str__(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return type(self).__name__


class InvalidConfig(ErrorConfig):
    """The GPU cannot launch it, or a restriction excludes it."""

    __slots__ = ()


class CompilationFailedConfig(ErrorConfig):
    """It does not compile."""

    __slots__ = ()


class RuntimeFailedConfig(ErrorConfig):
    """Its launch failed, did not end in time, or gave wrong results."""

    __slots__ = ()


ERRORS: dict[str, ErrorConfig] = {
    kind.__name__: kind() for kind in (ErrorConfig, InvalidConfig, CompilationFailedConfig, RuntimeFailedConfig)}
"""The errors by their texts, as cache files hold them."""

TIMES = ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time")
"""The times that were spent on a configuration, each in milliseconds."""

HIGHER_IS_BETTER = {
    "time": False, "energy": False, "fitness": True, "cost": False, "loss": False, "GFLOP/s": True, "TFLOP/s": True, "GB/s": True,
    "TB/s": True, "GFLOPS/W": True, "TFLOPS/W": True, "GFLOP/J": True, "TFLOP/J": True}


def get_objective_defaults(objective: str | None, higher_is_better: bool | None) -> tuple[str, bool]:
    """The objective and its direction. Raises `InputError` if the direction is not known."""
    objective = objective or "time"
    if not isinstance(objective, str):
        raise InputError(f"objective={objective!r} has no equivalent: expected the name of one objective")
    if higher_is_better is None and objective not in HIGHER_IS_BETTER:
        raise InputError(f"objective_higher_is_better= is missing for the objective {objective}")
    return objective, HIGHER_IS_BETTER[objective] if higher_is_better is None else bool(higher_is_better)


def get_best_config(results: Sequence[Result], objective: str, objective_higher_is_better: bool = False) -> Result:
    """The result with the best objective. Failed ones are the worst."""
    worst = -sys.float_info.max if objective_higher_is_better else sys.float_info.max
    choose = max if objective_higher_is_better else min
    return choose(results, key=lambda one: one[objective] if "__error__" not in one and objective in one else worst)


def replace_names(text: str, values: Mapping[str, object]) -> str:
    """The text with the values of the parameters that it names."""
    return "".join(str(values[part]) if part in values else part for part in re.split(r"([A-Za-z0-9_]+)", text))


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, f"<expression {text}>", "eval")


def evaluate(text: str, values: Mapping[str, object]) -> Any:
    """The value of a Python expression over parameters. It is the caller's own code. Raises `InputError` if it has no value."""
    names: dict[str, object] = dict(values)
    if "np." in text or "numpy." in text:
        import numpy
        names |= {"np": numpy, "numpy": numpy}
    try:
        return eval(_compiled(text.strip()), names)
    except ZeroDivisionError:
        raise
    except Exception as error:
        raise InputError(f"{text!r} cannot be computed: {error}") from error


def process_metrics(params: Result, metrics: Mapping[str, Any] | None) -> Result:
    """Adds the metrics to a result, in their order. Each is an expression as text, or a function of the result."""
    if metrics is not None and not isinstance(metrics, Mapping):
        raise InputError("metrics= is not a dictionary: expected names with texts or functions")
    for name, metric in (metrics or {}).items():
        if not isinstance(metric, str) and not callable(metric):
            raise InputError(f"the metric {name} is neither text nor a function")
        params[name] = evaluate(metric, params) if isinstance(metric, str) else metric(params)
    return params


def without_times(result: Mapping[str, Any]) -> Result:
    """A copy of a result on which no time was spent."""
    return {**result, "compile_time": 0, "verification_time": 0, "benchmark_time": 0}


def add_totals(results: Sequence[Result], env: dict[str, Any], elapsed_ms: float) -> dict[str, Any]:
    """Adds the sums of the times to the environment. If a result has no times, nothing is added."""
    if any(name not in one for one in results for name in TIMES):
        return env
    totals = {f"total_{name}": sum(one[name] for one in results) for name in TIMES}
    env.update(totals)
    env["overhead_time"] = elapsed_ms + env.get("simulated_time", 0) - sum(totals.values())
    return env


def get_config_string(params: Mapping[str, Any], keys: Iterable[str] | None = None, units: Mapping[str, str] | None = None) -> str:
    """A configuration or a result on one line: what `keys` names, by default all of it. `units` are written behind values."""
    chosen = list(params) if not keys else list(keys)
    shown = []
    for name, value in params.items():
        if name in chosen:
            unit = "" if units is None or isinstance(value, ErrorConfig) else units.get(name, "")
            shown.append(f"{name}={f'{value:.3f}' if isinstance(value, float) else value}{unit}")
    return ", ".join(shown)


def config_string(result: Mapping[str, Any], names: Sequence[str]) -> str:
    """A result on one line, with its error instead of a time."""
    shown = get_config_string({name: result[name] for name in names if name in result})
    return f"{shown}, time={result['__error__']}" if "__error__" in result else shown
