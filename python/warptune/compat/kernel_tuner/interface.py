"""`tune_kernel`, `run_kernel` and `tune_cache`."""

import contextlib
import dataclasses
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._errors import InputError, WorkError
from ...session_events import TuningWarning
from .accuracy import AccuracyObserver, Tunable, is_tunable, selected, selections
from .arguments import is_scalar
from .cache import cache_path as file_of
from .cache import key_of, read_cache
from .checking import check_of, inputs_of, on_host
from .description import KernelOptions, allowed_configurations, description_of, space_of
from .known import KnownResults, measured
from .observers import Observed, observed_by
from .simulation import simulate
from .strategies import Search, search_of
from .util import Result, add_totals, config_string, get_best_config, get_objective_defaults, process_metrics

Tuned = tuple[list[Result], dict[str, Any]]
"""The results, and what is known of the environment."""


ITERATIONS = 7
"""Kernel Tuner's default for `iterations`."""


NO_LOG = "log= is not used: no file is written, the results say what happened"


def _warn_of_differences(iterations: int, objective: str, search: Search, simulation_mode: bool | None, log: Any) -> None:
    """Warns of arguments that have another effect than in Kernel Tuner. A warning names the argument, and says what happens instead."""
    told = [NO_LOG] if log else []
    if iterations != ITERATIONS:
        told.append(f"iterations={iterations} is not used: warptune decides how often it launches a configuration")
    is_exhaustive = search.strategy == "exhaustive"
    if objective != "time" and not is_exhaustive and not simulation_mode:
        told.append(f"objective={objective!r} only chooses env[\"best_config\"]: the strategy searches for the shortest time")
    if simulation_mode and not is_exhaustive and search.given not in ("random_sample", None):
        told.append(f"strategy={search.given!r} is not simulated: simulation_mode= visits the configurations in a random order")
    for text in told:
        warnings.warn(text, TuningWarning, stacklevel=3)


def _refuse(**given: Any) -> None:
    """Raises `InputError` for the first argument that was given."""
    reasons = {"texmem_args": "CUDA has no texture references any more: pass a texture object", "compiler": "warptune uses NVRTC",
               "platform": "CUDA has no platforms"}
    for name, value in given.items():
        if value:
            raise InputError(f"{name}= has no equivalent: {reasons[name]}")


def _one_objective(objective: Any, higher: Any, objectives: Any) -> tuple[str, bool]:
    """The objective, and whether a larger value is better. Raises `InputError` for several objectives."""
    if objectives:
        objective, higher = list(objectives), list(objectives.values())
    if isinstance(objective, list) and len(objective) == 1:
        objective = objective[0]
        higher = higher[0] if isinstance(higher, list) else higher
    if isinstance(objective, list):
        raise InputError(f"several objectives have no equivalent here: choose one of {', '.join(objective)}")
    return get_objective_defaults(objective, higher)


def _measured(options: KernelOptions, search: Search, stored: KnownResults, observed: Observed, verify: Callable[..., Any] | None,
              given: Mapping[str, Any]) -> tuple[list[Result], str]:
    """The results, and the GPU's name. If arguments depend on parameters, each selection of arguments has a session of its own."""
    if not is_tunable(options.arguments, options.answer):
        return measured(options, search, stored, observed, verify, given)
    # `part.holds` is a restriction that only the configurations of the selection meet. Selections that the caller's restrictions
    # exclude get no session.
    given_restrictions = [] if options.restrictions is None else options.restrictions
    restrictions = list(given_restrictions) if isinstance(given_restrictions, (list, tuple)) else [given_restrictions]
    parts = [part for part in selections(options.arguments, options.answer, options.space)
             if any(True for _ in allowed_configurations(options.space, [*restrictions, part.holds]))]
    for part in parts:
        if part.error is not None:
            raise part.error
    results: list[Result] = []
    name, started = "", time.perf_counter()
    for at, part in enumerate(parts):
        if search.max_evaluations is not None and len(results) >= search.max_evaluations:
            break
        chosen = dataclasses.replace(options, arguments=part.arguments, answer=part.answer, restrictions=[*restrictions, part.holds])
        spent_s = time.perf_counter() - started
        if results and search.time_limit_s is not None and spent_s >= search.time_limit_s:
            break
        found, name = measured(chosen, search.share(len(parts) - at, len(results), spent_s), stored, observed, verify, given)
        results += found
    if not results:
        raise InputError("no configuration meets all restrictions")
    return sorted(results, key=lambda one: str(one.get("timestamp", ""))), name


def _observe_outputs(results: list[Result], options: KernelOptions, observed: Observed, device: int) -> None:
    """Launches each configuration that has a time once more, and adds what the observers of outputs say to its result."""
    if not observed.of_outputs:
        return
    for one in results:
        if "__error__" in one:
            continue
        params = {name: one[name] for name in options.space}
        chosen = dataclasses.replace(options, space={name: [value] for name, value in params.items()}, restrictions=None, answer=None)
        outputs = launched(chosen, device)
        answer = options.answer.select_for_configuration(params) if isinstance(options.answer, Tunable) else options.answer
        answers = [None if expected is None else on_host(expected) for expected in selected(answer or [None] * len(outputs), params)]
        for observer in observed.of_outputs:
            observer.process_output(answers, outputs)
            one.update(observer.get_results())


def _with_metrics(results: list[Result], metrics: Mapping[str, Any] | None, observed: Observed) -> list[Result]:
    """Adds the metrics to the results. If a result lacks a counter, metrics that need it are left out, and a warning says so."""
    lacking = set()
    for one in results:
        if "__error__" in one:
            continue
        missing = [name for name in observed.names if name not in one]
        lacking.update(missing)
        if not missing or not isinstance(metrics, Mapping):
            process_metrics(one, metrics)
            continue
        for name, metric in metrics.items():
            with contextlib.suppress(InputError, KeyError):
                process_metrics(one, {name: metric})
    if lacking:
        warnings.warn(f"{', '.join(sorted(lacking))} could not be read for every configuration; results without them have no metrics that "
                      "need them", TuningWarning, stacklevel=3)
    return results


def _report(results: list[Result], env: dict[str, Any], names: list[str], best: str) -> None:
    """Prints the results and the best of them."""
    print(f"{'Simulating' if env.get('simulation') else 'Using'}: {env['device_name']}")
    for one in results:
        print(config_string(one, names))
    if "best_config" in env:
        print(f"best configuration for the objective {best}:")
        print(config_string(env["best_config"], names))


def tune_kernel(
        kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], tune_params: Mapping[str, Sequence[Any]],
        grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, restrictions: Any = None,
        answer: Sequence[Any] | None = None, atol: float = 1e-6, verify: Callable[..., Any] | None = None, verbose: bool = False,
        lang: str | None = None, device: int = 0, platform: int = 0, smem_args: dict[str, Any] | None = None,
        cmem_args: dict[str, Any] | None = None, texmem_args: dict[str, Any] | None = None, compiler: str | None = None,
        compiler_options: list[str] | None = None, defines: dict[str, Any] | None = None, log: Any = None, iterations: int = ITERATIONS,
        block_size_names: list[str] | None = None, quiet: bool = False, strategy: str | None = None,
        strategy_options: Mapping[str, Any] | None = None, cache: str | os.PathLike[str] | None = None,
        metrics: Mapping[str, Any] | None = None, simulation_mode: bool | None = None, parallel: Any = None,
        observers: Sequence[Any] | None = None, objective: Any = None, objective_higher_is_better: Any = None, objectives: Any = None,
        seed: int | None = None) -> Tuned:
    """Tunes a kernel, and returns a list of results and a dictionary about the environment, as Kernel Tuner does.

    A result has the values of the parameters, `time` in milliseconds, the metrics, and the times that were spent on it. `verbose`
    and `parallel` have no effect: the results contain the errors, and warptune always compiles in parallel. `iterations` has none,
    either, because warptune decides how often it launches: another value than the default is a `TuningWarning`.

    Raises `InputError` for what has no equivalent, `MachineError` without a GPU, and `WorkError` if nothing was evaluated.
    """
    started = time.perf_counter()
    _refuse(texmem_args=texmem_args, compiler=compiler, platform=platform)
    if parallel and simulation_mode:
        raise InputError("parallel= and simulation_mode= exclude each other: a simulation measures nothing")
    objective_name, higher = _one_objective(objective, objective_higher_is_better, objectives)
    if answer is not None and all(one is None for one in answer):
        answer = None
    if answer is None and any(isinstance(one, AccuracyObserver) for one in observers or ()):
        raise InputError("AccuracyObserver needs answer=, with which it compares outputs")
    options = KernelOptions(
        kernel_name, kernel_source, problem_size, arguments, space_of(tune_params), [grid_div_x, grid_div_y, grid_div_z], lang, smem_args,
        cmem_args, compiler_options, defines, block_size_names, restrictions, answer, atol)
    search, stored, observed = search_of(strategy, strategy_options), KnownResults(cache, options, objective_name), observed_by(observers)
    _warn_of_differences(iterations, objective_name, search, simulation_mode, log)
    env: dict[str, Any] = {"device_name": stored.device_name}
    if simulation_mode:
        if not stored.device_name:
            raise InputError("simulation_mode= needs a cache file that exists: give it with cache=")
        simulated = simulate(options.space, restrictions, stored.entries, search, metrics, seed)
        results = simulated.results
        env |= {"simulation": True, "simulated_time": simulated.time_ms}
    else:
        # A configuration that is dropped has no counters and no energy. With `thorough`, none is dropped.
        given = {"device": device, "seed": 1 if seed is None else seed, "thorough": objective_name != "time" or bool(observed.names)}
        results, name = _measured(options, search, stored, observed, verify, given)
        _observe_outputs(results, options, observed, device)
        results = _with_metrics(results, metrics, observed)
        stored.store(name, results)
        env |= {"device_name": name, "iterations": iterations, "compiler_options": compiler_options or []}
    if results:
        env["best_config"] = get_best_config(results, objective_name, higher)
    if not quiet:
        _report(results, env, [*options.space, "time", *(metrics or {})], objective_name)
    return results, add_totals(results, env, 1e3 * (time.perf_counter() - started))


def run_kernel(
        kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], params: Mapping[str, Any],
        grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, lang: str | None = None, device: int = 0,
        platform: int = 0, smem_args: dict[str, Any] | None = None, cmem_args: dict[str, Any] | None = None,
        texmem_args: dict[str, Any] | None = None, compiler: str | None = None, compiler_options: list[str] | None = None,
        defines: dict[str, Any] | None = None, block_size_names: list[str] | None = None, quiet: bool = False,
        log: Any = None) -> list[Any]:
    """Launches one configuration, and returns all arguments as they are afterwards: arrays of NumPy, and scalars as they were given.

    Raises `InputError` for what has no equivalent, and `WorkError` if the configuration cannot run.
    """
    _refuse(texmem_args=texmem_args, compiler=compiler, platform=platform)
    if log:
        warnings.warn(NO_LOG, TuningWarning, stacklevel=2)
    options = KernelOptions(
        kernel_name, kernel_source, problem_size, arguments, space_of({name: [value] for name, value in params.items()}),
        [grid_div_x, grid_div_y, grid_div_z], lang, smem_args, cmem_args, compiler_options, defines, block_size_names)
    return launched(options, device)


def launched(options: KernelOptions, device: int) -> list[Any]:
    """Launches the only configuration of a space in a worker process, and returns all arguments as they are afterwards."""
    arguments = selected(options.arguments, {name: values[0] for name, values in options.space.items()})
    described = description_of(dataclasses.replace(options, arguments=arguments), all_results=True)
    outputs: list[Any] = []

    def keep(answer: Any, results: list[Any]) -> bool:  # The session calls it to verify the launch, and so it gets the outputs.
        outputs[:] = results
        return True
    if all(is_scalar(one) for one in arguments):
        raise InputError("arguments= has no array, so run_kernel has nothing to return")
    data: dict[str, Any] = {"inputs": inputs_of(described.arguments), "check": check_of(described.arguments, None, keep, 0.0)}
    described.kernel.tune(budget=1, metrics="none", fresh=True, transfer=False, replay=False, device=device, **data)
    if not outputs:
        raise WorkError(f"{options.kernel_name} was not launched")
    return [given if is_scalar(given) else on_host(found) for given, found in zip(arguments, outputs, strict=True)]


def tune_cache(cache_path: str | os.PathLike[str], restrictions: list[Any] | None = None, **options: Any) -> Tuned:
    """Simulates a call of `tune_kernel` with the arguments that a cache file has stored. Configurations that failed are left out."""
    document = read_cache(file_of(cache_path))
    if isinstance(document.get("problem_size"), str):
        raise InputError(f"{os.fspath(cache_path)} does not say the problem size, because it was a function")
    names = document["tune_params_keys"]
    valid = {key_of(one, names) for one in document["cache"].values() if "__error__" not in one}

    def is_valid(configuration: Mapping[str, Any]) -> bool:
        return key_of(configuration, names) in valid
    size = document["problem_size"]
    given: dict[str, Any] = {
        "kernel_name": document["kernel_name"], "kernel_source": "", "arguments": [], "tune_params": document["tune_params"],
        "problem_size": tuple(size) if isinstance(size, list) else size, **options}
    return tune_kernel(**given, cache=cache_path, restrictions=[is_valid, *(restrictions or [])], simulation_mode=True)


def tune_kernel_T1(*arguments: Any, **options: Any) -> Tuned:
    """Not supported: raises `InputError`."""
    raise InputError("tune_kernel_T1 has no equivalent: call tune_kernel with what the T1 file says")
