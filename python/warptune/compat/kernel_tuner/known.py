"""Results of earlier calls, and the session that measures the configurations without a result."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._errors import Error, MachineError
from .cache import cache_path, check_device, check_heading, key_of, read_cache, write_cache
from .checking import data_options
from .description import NO_PARAMETER, KernelOptions, allowed_configurations, description_of
from .expressions import check_restriction, restriction_list
from .observers import Observed
from .readings import gpu_name
from .strategies import Search
from .tuning import Session
from .util import Result, without_times


class KnownResults:
    """The cache file of a call, if there is one."""

    def __init__(self, path: str | os.PathLike[str] | None, options: KernelOptions, objective: str) -> None:
        """Raises `InputError` if the file belongs to another kernel, problem or space."""
        self._path = None if path is None else cache_path(path)
        self._names = list(options.space)
        self._document: dict[str, Any] | None = None
        self._new: dict[str, Result] = {}
        size = "callable" if callable(options.problem_size) else options.problem_size
        self._heading = {"kernel_name": options.kernel_name, "problem_size": size, "tune_params_keys": self._names,
                         "tune_params": options.space, "objective": objective}
        if self._path is not None and self._path.is_file():
            self._document = read_cache(self._path)
            check_heading(self._document, self._path, options.kernel_name, options.problem_size, self._names)

    @property
    def entries(self) -> dict[str, Result]:
        """The results of earlier calls by their keys."""
        return {} if self._document is None else dict(self._document["cache"])

    @property
    def device_name(self) -> str:
        """The GPU of the file, or an empty text."""
        return "" if self._document is None else str(self._document["device_name"])

    def check_device(self, device_name: str) -> None:
        """Raises `InputError` if the entries were measured on another GPU than this one."""
        if self._path is not None and self._document is not None:
            check_device(self._document, self._path, device_name)

    def check_local_device(self, device: Any) -> None:
        """`check_device` with the name that NVML has for a GPU of this machine. Without such a GPU nothing is checked."""
        if self._document is None:
            return
        with contextlib.suppress(MachineError):
            name = gpu_name(device if isinstance(device, int) else 0)
            # CUDA's name of a MIG instance begins with NVML's name of the GPU, and has more words.
            if not self.device_name.startswith(name):
                self.check_device(name)

    def store(self, device_name: str, results: Sequence[Result]) -> None:
        """Writes the file: its earlier entries, and all results that this object was given.

        An earlier entry stays, even if its configuration was measured again. Raises `InputError` if the entries were measured on another
        GPU.
        """
        if self._path is None:
            return
        self.check_device(device_name)
        self._new |= {key_of(one, self._names): one for one in results}
        write_cache(self._path, {"device_name": device_name, **self._heading}, {**self._new, **self.entries})


def allowed_by(options: KernelOptions) -> Callable[[Mapping[str, Any]], bool]:
    """Whether the space and the restrictions allow a configuration."""
    checks = [check_restriction(one, options.space) for one in restriction_list(options.restrictions)]

    def is_allowed(configuration: Mapping[str, Any]) -> bool:
        values = {name: configuration[name] for name in options.space}
        return all(value in options.space[name] for name, value in values.items()) and all(check(values) for check in checks)
    return is_allowed


def _known(options: KernelOptions, entries: Mapping[str, Result], limit: int | None) -> list[Result]:
    """The entries that the space and the restrictions allow, at most `limit`, as results on which no time was spent."""
    is_allowed = allowed_by(options)
    kept = [without_times(one) for one in entries.values() if is_allowed(one)]
    return [{**one, "strategy_time": 0.0, "framework_time": 0.0} for one in kept][:limit]


def measured(options: KernelOptions, search: Search, cache: KnownResults, observed: Observed, verify: Callable[..., Any] | None,
             session_options: Mapping[str, Any]) -> tuple[list[Result], str]:
    """Returns the results of the cache and those of a session for the other configurations, and the GPU's name.

    All of them are in the cache afterwards. If an exception ends the session, what was measured before is in the cache.
    Results of the cache count as evaluated, as in Kernel Tuner. `session_options` are further arguments of `Kernel.tune`.
    """
    entries, names = cache.entries, list(options.space)
    known = _known(options, entries, search.max_evaluations)
    needs_session = any(key_of(one, names) not in entries for one in allowed_configurations(options.space, options.restrictions))
    if search.max_evaluations is not None:
        search = Search(search.strategy, search.max_evaluations - len(known), search.time_limit_s)
        needs_session = needs_session and search.max_evaluations != 0
    # If the restrictions allow no configuration, `known` is empty, and the code below raises the error.
    if not needs_session and known:
        cache.check_local_device(session_options.get("device", 0))
        return known, cache.device_name
    # Without an answer, `verify` gets all arrays. So every array has to be an output.
    described = description_of(options, known=entries, all_results=verify is not None and options.answer is None)
    session = Session(described.kernel, search, observed, cache.check_device)
    data = data_options(described.arguments, options.answer, verify, options.atol)

    def stored(found: list[Result]) -> list[Result]:
        for one in found:
            one.pop(NO_PARAMETER, None)
        if found:
            cache.store(session.device_name, found)
        return found
    try:
        found = stored(session.run(options.space or {NO_PARAMETER: [0]}, {**session_options, **data}))
    except BaseException:
        with contextlib.suppress(Error, OSError):  # The reason that ended the session is what the caller needs.
            stored(session.interrupted)
        raise
    return [*known, *(one for one in found if key_of(one, names) not in entries)], session.device_name
