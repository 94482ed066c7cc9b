"""A session for a call, and its results in the shape that Kernel Tuner gives them."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any

from ..._errors import WorkError
from ...kernel import Kernel
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


class _Enough(Exception):
    """The session has evaluated as many configurations as the call allows."""


class Session:
    """One session. `run` returns its results."""

    def __init__(self, kernel: Kernel, search: Search, observed: Observed, check_device: Callable[[str], None]) -> None:
        """`observed` are the further entries of a result, and where they are found.

        `check_device` is called with the GPU's name before anything is measured. Its exception ends the session.
        """
        self._kernel = kernel
        self._search = search
        self._observed = observed
        self._check_device = check_device
        self._id: int | None = None
        self.device_name = ""
        self.elapsed_ms = 0.0
        self.interrupted: list[Result] = []
        """What was measured before an exception ended the session."""

    def run(self, space: Mapping[str, list[Any]], options: Mapping[str, Any]) -> list[Result]:
        """The evaluated configurations in the order of their measurement. `options` are further arguments of `Kernel.tune`.

        A configuration that fails is a result with `__error__`. Raises `WorkError` if nothing was evaluated.
        """
        started = time.perf_counter()
        readings = Readings(self._observed.readings, options.get("device", 0))
        try:
            with readings:
                self._kernel.tune(
                    budget=self._search.budget, strategy=self._search.strategy, metrics=self._observed.metrics or "none", fresh=True,
                    transfer=False, replay=False, progress=self, **options)
        except _Enough:
            pass
        except WorkError:  # No configuration is right. Their errors are results.
            if not self._rows(options, space, readings):
                raise
        except BaseException:
            self.elapsed_ms = 1e3 * (time.perf_counter() - started)
            self.interrupted = self._shared_times(self._rows(options, space, readings))
            raise
        self.elapsed_ms = 1e3 * (time.perf_counter() - started)
        found = self._rows(options, space, readings)
        return self._shared_times(found if self._search.time_limit_s is None else found[:self._search.max_evaluations])

    def session_began(self, session_id: int, workload: dict[str, Any]) -> None:
        """Called when the session has the GPU, before it measures."""
        self.device_name = workload["gpu"]["name"] or ""
        self._check_device(self.device_name)
        self._id = session_id

    def __call__(self, progress: Progress) -> None:
        """Called with the progress. Ends the session if it has evaluated enough configurations."""
        limit = self._search.max_evaluations
        if self._search.time_limit_s is not None and limit is not None and progress.evaluated >= limit:
            raise _Enough

    def _rows(self, options: Mapping[str, Any], space: Mapping[str, list[Any]], readings: Readings) -> list[Result]:
        """The results of this session alone: other threads and earlier calls may have measured the same configurations."""
        if self._id is None:
            return []
        try:
            rows = self._kernel._session_results(self._id, options.get("db"))
        except WorkError:
            return []
        return results_of(rows, space, self._observed.columns, readings)

    def _shared_times(self, results: list[Result]) -> list[Result]:
        """Divides the time that was neither compiling nor measuring among the results."""
        worked = sum(one["compile_time"] + one["benchmark_time"] for one in results)
        for one in results:
            one["strategy_time"] = 0.0
            one["framework_time"] = max(self.elapsed_ms - worked, 0.0) / len(results)
        return results


def results_of(rows: Rows, space: Mapping[str, list[Any]], columns: Mapping[str, str], readings: Readings) -> list[Result]:
    """Rows as results in the order of their measurement."""
    wanted = [*space, "status", "median_ns", "compile_ms", "measure_ms", "time_stamp_ms", *columns.values()]
    held: dict[str, list[Any]] = {name: rows.values(name) if name in rows.columns else [None] * len(rows) for name in wanted}
    samples = rows.samples_ns()
    order = sorted(range(len(rows)), key=held["time_stamp_ms"].__getitem__)
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
