"""A session for a call, and its results in the shape that Kernel Tuner gives them."""

import time
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..._errors import WorkError
from ...kernel import Kernel
from ...results import TuningResult
from ...rows import Rows
from ...session_events import Progress
from .observers import Observed
from .readings import Readings
from .strategies import Search
from .util import CompilationFailedConfig, ErrorConfig, InvalidConfig, Result, RuntimeFailedConfig

FAILURES: dict[str, type[ErrorConfig]] = {
    "compile_failed": CompilationFailedConfig, "launch_invalid": InvalidConfig, "launch_failed": RuntimeFailedConfig,
    "wrong_result": RuntimeFailedConfig, "implausible": RuntimeFailedConfig, "timed_out": RuntimeFailedConfig,
    "worker_died": RuntimeFailedConfig}
"""The errors by warptune's status."""


def now_ms() -> int:
    """The time of day as rows have it. Rows before it are of earlier calls."""
    return time.time_ns() // 1_000_000


class _Enough(Exception):
    """The session has evaluated as many configurations as the call allows."""


class Session:
    """Tunes once, and has the results afterwards."""

    def __init__(self, kernel: Kernel, search: Search, observed: Observed) -> None:
        """`observed` are the further entries of a result, and where they are found."""
        self._kernel = kernel
        self._search = search
        self._observed = observed
        self.device_name = ""
        self.elapsed_ms = 0.0

    def run(self, space: Mapping[str, list[Any]], options: Mapping[str, Any]) -> list[Result]:
        """The evaluated configurations in the order of their measurement. `options` are further arguments of `Kernel.tune`.

        A configuration that fails is a result with `__error__`. Raises `WorkError` if nothing was evaluated.
        """
        started_ms, started = now_ms(), time.perf_counter()
        readings = Readings(self._observed.readings, options.get("device", 0))
        outcome: TuningResult | None = None
        try:
            with readings:
                outcome = self._kernel.tune(
                    budget=self._search.budget, strategy=self._search.strategy, metrics=self._observed.metrics or "none", fresh=True,
                    transfer=False, replay=False, progress=self._stop, **options)
        except _Enough:
            pass
        except WorkError:  # No configuration is right. Their errors are results.
            if not self._rows(options, None, started_ms, space, readings):
                raise
        self.elapsed_ms = 1e3 * (time.perf_counter() - started)
        self.device_name = outcome.problem.gpu_name if outcome is not None else self._stored_device(options)
        found = self._rows(options, outcome, started_ms, space, readings)
        return self._shared_times(found if self._search.time_limit_s is None else found[:self._search.max_evaluations])

    def _stop(self, progress: Progress) -> None:
        limit = self._search.max_evaluations
        if self._search.time_limit_s is not None and limit is not None and progress.evaluated >= limit:
            raise _Enough

    def _stored_device(self, options: Mapping[str, Any]) -> str:
        return self._kernel.best(db=options.get("db")).problem.gpu_name

    def _rows(self, options: Mapping[str, Any], outcome: TuningResult | None, started_ms: int, space: Mapping[str, list[Any]],
              readings: Readings) -> list[Result]:
        workload = {} if outcome is None else {"gpu": outcome.problem.gpu_key, "cache": outcome.problem.cache}
        try:
            rows = self._kernel.results(db=options.get("db"), gpu=workload.get("gpu"), cache=workload.get("cache"))
        except WorkError:
            return []
        return results_of(rows, space, self._observed.columns, started_ms, readings)

    def _shared_times(self, results: list[Result]) -> list[Result]:
        """What is neither compiling nor measuring is divided among the results."""
        worked = sum(one["compile_time"] + one["benchmark_time"] for one in results)
        for one in results:
            one["strategy_time"] = 0.0
            one["framework_time"] = max(self.elapsed_ms - worked, 0.0) / len(results)
        return results


def results_of(rows: Rows, space: Mapping[str, list[Any]], columns: Mapping[str, str], since_ms: int,
               readings: Readings) -> list[Result]:
    """The rows since a time, as results in the order of their measurement."""
    wanted = [*space, "status", "median_ns", "compile_ms", "measure_ms", "time_stamp_ms", *columns.values()]
    held: dict[str, list[Any]] = {name: rows.values(name) if name in rows.columns else [None] * len(rows) for name in wanted}
    samples = rows.samples_ns()
    order = sorted((at for at in range(len(rows)) if held["time_stamp_ms"][at] >= since_ms), key=lambda at: held["time_stamp_ms"][at])
    return [_result({name: values[at] for name, values in held.items()}, samples[at], space, columns, readings) for at in order]


def _result(row: Mapping[str, Any], samples_ns: list[float], space: Mapping[str, list[Any]], columns: Mapping[str, str],
            readings: Readings) -> Result:
    result: Result = {name: next((value for value in values if value == row[name]), row[name]) for name, values in space.items()}
    if row["status"] in FAILURES:
        result["__error__"] = FAILURES[row["status"]]()
    else:
        result |= {"time": row["median_ns"] / 1e6, "times": [one / 1e6 for one in samples_ns]}
        result |= {name: row[column] for name, column in columns.items() if row[column] is not None}
        result |= readings.mean(row["time_stamp_ms"] - (row["measure_ms"] or 0.0), row["time_stamp_ms"])
    if row["status"] == "dropped":
        result["dropped"] = True
    result |= {"compile_time": row["compile_ms"] or 0.0, "verification_time": 0.0, "benchmark_time": row["measure_ms"] or 0.0}
    result["timestamp"] = str(datetime.fromtimestamp(row["time_stamp_ms"] / 1e3, timezone.utc))
    return result
