"""Translates Kernel Tuner's strategies and budgets to warptune's.

In Kernel Tuner, `strategies.minimize` and the others are modules. Here they are the names of the strategies, which calls accept, too.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..._errors import InputError
from ...session_events import TuningWarning

STRATEGIES = {
    "brute_force": "exhaustive", "random_sample": "random", "genetic_algorithm": "genetic", "diff_evo": "differential_evolution",
    "simulated_annealing": "annealing", "dual_annealing": "annealing", "greedy_mls": "local_search", "ordered_greedy_mls": "local_search",
    "greedy_ils": "local_search", "mls": "local_search", "minimize": "local_search", "basinhopping": "local_search",
    "bayes_opt": "surrogate", "skopt": "surrogate", "pso": "auto", "firefly_algorithm": "auto", "pyatf_strategies": "auto",
    "hybrid_vndx": "auto", "adaptive_tabu_greywolf": "auto"}
"""For each strategy of Kernel Tuner, warptune's strategy of the same kind, or `auto` if there is none."""
DEFAULT_EVALUATIONS = 2000
"""How many configurations a strategy other than brute force evaluates if no limit is given."""


def __getattr__(name: str) -> str:
    """A strategy by the name of its module in Kernel Tuner."""
    if name in STRATEGIES:
        return name
    if name in ("nsga2", "nsga3", "pymoo_minimize"):
        raise InputError(f"strategies.{name} has no equivalent: warptune has one objective at a time")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Search:
    """How a space is searched."""

    strategy: str
    max_evaluations: int | None
    """None: all."""
    time_limit_s: float | None
    given: str | None = None
    """The strategy's name in Kernel Tuner, as the call gave it."""

    def share(self, parts: int, done: int, spent_s: float) -> "Search":
        """The limits of the next session, if `parts` sessions are left and `done` configurations were evaluated in `spent_s` seconds."""
        evaluations = None if self.max_evaluations is None else max((self.max_evaluations - done) // parts, 1)
        seconds = None if self.time_limit_s is None else max(self.time_limit_s - spent_s, 0.0) / parts
        return Search(self.strategy, evaluations, seconds, self.given)

    @property
    def budget(self) -> str:
        """warptune's budget. If both limits are given, it is the time. The session's progress is then compared with the other limit."""
        if self.time_limit_s is not None:
            return f"{max(self.time_limit_s, 0.001):.3f}s"
        return "all" if self.max_evaluations is None else str(self.max_evaluations)


def search_of(strategy: Any, options: Mapping[str, Any] | None) -> Search:
    """The search of a call. Raises `InputError` for a strategy without an equivalent.

    Options that steer a strategy have no equivalent, because warptune's strategies need none: a warning names them.
    """
    if strategy is not None and not isinstance(strategy, str) and hasattr(strategy, "tune"):
        raise InputError("strategy= is a strategy of your own, which has no equivalent: warptune's run in its own program; expected one of "
                         f"{', '.join(STRATEGIES)}")
    if strategy is not None and strategy not in STRATEGIES:
        raise InputError(f"strategy={strategy!r} has no equivalent: expected one of {', '.join(STRATEGIES)}")
    given = dict(options or {})
    evaluations, seconds = given.pop("max_fevals", None), given.pop("time_limit", None)
    share = given.pop("fraction", None)
    if share is not None:
        raise InputError("strategy_options['fraction'] has no equivalent: give max_fevals")
    if given:
        warnings.warn(f"strategy_options without an equivalent are not used: {', '.join(given)}", TuningWarning, stacklevel=4)
    if evaluations is None and seconds is None and strategy not in (None, "brute_force"):
        evaluations = DEFAULT_EVALUATIONS
    return Search(STRATEGIES[strategy or "brute_force"], None if evaluations is None else int(evaluations),
                  None if seconds is None else float(seconds), strategy)
