"""Simulation mode: results come from a cache file instead of a GPU."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._errors import InputError
from .cache import key_of
from .description import allowed_configurations
from .strategies import Search
from .util import Result, process_metrics


@dataclass(frozen=True)
class Simulated:
    """The results of a simulation."""

    results: list[Result]
    time_ms: float
    """The time that the evaluations took when they were measured."""


def _order(space: Mapping[str, Sequence[Any]], restrictions: Any, search: Search, seed: int | None) -> list[dict[str, Any]]:
    """The order of the evaluations. Brute force follows the order of the values. For every other strategy, the order is random here."""
    configurations = list(allowed_configurations(space, restrictions))
    if search.strategy != "exhaustive":
        random.Random(seed).shuffle(configurations)
    return configurations


def simulate(space: Mapping[str, Sequence[Any]], restrictions: Any, entries: Mapping[str, Result], search: Search,
             metrics: Mapping[str, Any] | None, seed: int | None) -> Simulated:
    """Looks the configurations up in the entries of a cache. Raises `InputError` if one is missing."""
    names = list(space)
    results: list[Result] = []
    spent = 0.0
    for configuration in _order(space, restrictions, search, seed):
        if len(results) == search.max_evaluations or (search.time_limit_s is not None and spent >= 1e3 * search.time_limit_s):
            break
        key = key_of(configuration, names)
        if key not in entries:
            raise InputError(f"the cache has no entry {key}, and simulation_mode= needs every configuration")
        result = {**entries[key], "strategy_time": 0.0, "framework_time": 0.0}
        spent += sum(result.get(name, 0) for name in ("compile_time", "verification_time", "benchmark_time"))
        results.append(result if "__error__" in result else process_metrics(result, metrics))
    return Simulated(results, spent)
