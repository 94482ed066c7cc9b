"""Turns a call of `tune_kernel` or `run_kernel` into a kernel definition."""

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._errors import InputError
from ...kernel import Kernel
from .arguments import Argument, constants, described
from .expressions import Geometry, block_size_names, check_restriction, constraint_of, macro_text, number_text, restriction_list
from .source import Source, check_language, compiler_choice, entry_of, source_of
from .tabulation import MAX_CALLS, expression_of
from .util import evaluate

FORBIDDEN = ("grid_size_x", "grid_size_y", "grid_size_z", "time")
NO_PARAMETER = "WARPTUNE_NO_PARAMETER"
"""The parameter of a kernel that has none. A definition needs at least one."""


@dataclass(frozen=True)
class KernelOptions:
    """The arguments that `tune_kernel` and `run_kernel` have in common."""

    kernel_name: str
    kernel_source: Any
    problem_size: Any
    arguments: Sequence[Any]
    space: dict[str, list[Any]]
    """The values of each parameter."""
    grid_div: list[Any]
    lang: str | None = None
    smem_args: dict[str, Any] | None = None
    cmem_args: dict[str, Any] | None = None
    compiler_options: list[str] | None = None
    defines: dict[str, Any] | None = None
    block_size_names: list[str] | None = None
    restrictions: Any = None
    answer: Sequence[Any] | None = None
    atol: float = 1e-6


@dataclass(frozen=True)
class Described:
    """The kernel, and what its arguments are."""

    kernel: Kernel
    arguments: list[Argument]
    definition: dict[str, Any] = field(repr=False)
    source: Source = field(repr=False)
    """Held here because its temporary files are removed when it is destroyed, and the kernel needs them."""


def plain_values(values: Sequence[Any], name: str) -> list[Any]:
    """The values of a parameter without duplicates, converted from NumPy's types to Python's.

    Raises `InputError` for values that cannot be tuned.
    """
    listed = [value.item() if hasattr(value, "item") else value for value in values]
    wrong = [value for value in listed if not isinstance(value, (bool, int, float, str))]
    if wrong or not listed:
        raise InputError(f"the parameter {name} has {f'the value {wrong[0]!r}' if wrong else 'no values'}: "
                         f"expected bools, numbers or texts")
    return list(dict.fromkeys(listed))


def typed(value: Any, values: Sequence[Any]) -> Any:
    """A value in the type that all values of its parameter have in warptune. Raises `InputError` for texts beside numbers."""
    if len({isinstance(one, str) for one in values}) > 1:
        raise InputError(f"{', '.join(repr(one) for one in values)} are texts and numbers: expected values of one kind for a parameter")
    if any(isinstance(one, float) for one in values):
        return float(value)
    return int(value) if isinstance(value, bool) and not all(isinstance(one, bool) for one in values) else value


def space_of(tune_params: Any) -> dict[str, list[Any]]:
    """The values of each parameter. Raises `InputError` for names that are taken and for values of other kinds."""
    if not isinstance(tune_params, Mapping):
        raise InputError("tune_params= is not a dictionary: expected names with lists of values")
    for name in tune_params:
        if name in FORBIDDEN:
            raise InputError(f"the parameter {name} has a name that results use for something else")
    return {name: plain_values(values, name) for name, values in tune_params.items()}


def allowed_configurations(space: Mapping[str, Sequence[Any]], restrictions: Any) -> Iterator[dict[str, Any]]:
    """The configurations that all restrictions allow, in the order of the values."""
    checks = [check_restriction(one, space) for one in restriction_list(restrictions)]
    for values in itertools.product(*space.values()):
        configuration = dict(zip(space, values, strict=True))
        if all(holds(configuration) for holds in checks):
            yield configuration


def _condition_of(options: KernelOptions, known: Collection[str]) -> str | None:
    """A condition that holds for known configurations. None if there are none, or if the space is too large for a table."""
    if not known or math.prod(len(values) for values in options.space.values()) > MAX_CALLS:
        return None
    table = {held: ",".join(str(value) for value in held) in known for held in itertools.product(*options.space.values())}
    return expression_of(list(options.space), table, options.space, "cache=")


def _default(options: KernelOptions, block: list[str], known: Collection[str]) -> dict[str, Any]:
    """The first configuration that the restrictions allow, that is not known, and whose block is no larger than GPUs allow."""
    tried = itertools.islice(allowed_configurations(options.space, options.restrictions), MAX_CALLS)
    for configuration in tried:
        threads = 1
        for one in block:
            threads *= int(configuration.get(one, one))
        if threads <= 1024 and ",".join(str(value) for value in configuration.values()) not in known:
            return configuration
    raise InputError("no configuration meets all restrictions with at most 1024 threads in a block")


def _defines(options: KernelOptions, geometry: Geometry, block_names: list[str], source: str) -> dict[str, str]:
    """The macros other than the parameters.

    Macros for the grid and the block are left out if the source does not contain their name and includes no file that could.
    """
    if options.defines is not None:
        texts = {name: macro_text(value, options.space, name) for name, value in options.defines.items()
                 if not (name in options.space and value == name)}
        taken = next((name for name in texts if name in options.space), None)
        if taken:
            raise InputError(f"defines= gives {taken} another text than its value: use another name for the macro")
        return texts
    macros = {f"grid_size_{axis}": text for axis, text in zip("xyz", geometry.grid(), strict=True)}
    macros |= {name: text for name, text in zip(block_names, geometry.block(), strict=True) if name not in options.space}
    macros["kernel_tuner"] = "1"
    return {name: text for name, text in macros.items() if name in source or '#include "' in source}


def _shared_bytes(smem_args: dict[str, Any] | None, space: dict[str, list[Any]]) -> str:
    unknown = next((name for name in smem_args or {} if name != "size"), None)
    if unknown:
        raise InputError(f"smem_args[{unknown!r}] has no equivalent: expected 'size' alone")
    size = (smem_args or {}).get("size", 0)
    function: Callable[[dict[str, Any]], Any] = lambda values: evaluate(size, values) if isinstance(size, str) else size  # noqa: E731
    return number_text(size if callable(size) else function, space, "smem_args['size']")


def _constraints(options: KernelOptions, block: list[str]) -> list[object]:
    texts: list[object] = [constraint_of(one, options.space) for one in restriction_list(options.restrictions)]
    factors = [one for one in block if one in options.space]
    return [*texts, f"{' * '.join(factors)} <= device_max_threads_per_block"] if factors else texts


def description_of(options: KernelOptions, *, known: Collection[str] = (), all_results: bool = False) -> Described:
    """The kernel of a call.

    `known` are keys of a cache: their configurations are left out. With `all_results`, every array is an output.
    Raises `InputError` for what has no equivalent.
    """
    if not options.space:
        options = KernelOptions(**{**options.__dict__, "space": {NO_PARAMETER: [0]}})
    setting = next((name for name in options.space if name.startswith(("nvml_", "tegra_")) or name == "cuda_sm_percentage"), None)
    if setting:
        raise InputError(f"the parameter {setting} has no equivalent: warptune does not change the settings of a GPU")
    source = source_of(options.kernel_source, options.space)
    check_language(options.lang, source.text)
    names = block_size_names(options.block_size_names, options.space)
    geometry = Geometry(options.problem_size, options.grid_div, names, options.space)
    answer = list(options.arguments) if all_results else options.answer
    arguments = described(options.arguments, source.text, options.kernel_name, answer) + constants(options.cmem_args)
    language, flags = compiler_choice(options.compiler_options)
    excluded = _condition_of(options, known)
    constraints = _constraints(options, geometry.block())
    default = _default(options, geometry.block(), known if excluded else ())
    definition: dict[str, Any] = {
        "name": re.sub(r"[^A-Za-z0-9_-]+", "_", options.kernel_name).strip("_"), "source": source.given,
        "entry": entry_of(options.kernel_name, options.space),
        "parameters": {name: [typed(value, values) for value in values] for name, values in options.space.items()},
        "constraints": [*constraints, f"!({excluded})"] if excluded else constraints,
        "default": {name: typed(value, options.space[name]) for name, value in default.items()},
        "defines": {**_defines(options, geometry, names, source.text), **source.defines},
        "launch": {"grid": geometry.grid(), "block": geometry.block(), "shared_bytes": _shared_bytes(options.smem_args, options.space)},
        "arguments": [one.table for one in arguments], "language": language, "flags": flags or None}
    # The reference is formally the default configuration. `answer` later replaces its outputs; only the tolerance written here is used.
    if options.answer is not None:
        definition["check"] = {"reference": "configuration", "absolute": float(options.atol), "relative": 1e-5}
    return Described(Kernel(**definition, readable=source.readable), arguments, definition, source)
