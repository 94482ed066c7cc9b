"""What arrays hold before a launch, and what they must hold after it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._errors import InputError
from .arguments import Argument, element_count

Verify = Callable[..., Any]
"""Kernel Tuner's `verify(answer, result_host, atol)`."""


def contents_of(value: Any) -> Any:
    """An array in a form that warptune accepts.

    Arrays of NumPy become contiguous, and booleans become bytes. An empty array becomes an array with one zero.
    """
    if element_count(value) == 0:
        import numpy
        return contents_of(numpy.zeros(1, on_host(value).dtype))
    if hasattr(value, "__array_interface__"):
        import numpy
        array = numpy.ascontiguousarray(value)
        return array.view(numpy.uint8) if array.dtype == bool else array
    if str(getattr(value, "dtype", "")).endswith("bool"):  # PyTorch has `byte`, CuPy and NumPy have views.
        return value.byte() if hasattr(value, "byte") else value.view("uint8")
    return value


def inputs_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The contents of each array before a launch."""
    return {one.name: contents_of(one.value) for one in arguments if one.kind != "scalar"}


def on_host(value: Any) -> Any:
    """Converts an array to one of NumPy."""
    import numpy
    if hasattr(value, "detach"):  # PyTorch
        return value.detach().cpu().numpy()
    return numpy.asarray(value.get() if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__") else value)


def results_of(arguments: Sequence[Argument], results: Mapping[str, Any]) -> list[Any]:
    """The arguments after a launch, in their order: arrays of NumPy, and None for what is not an output."""
    import numpy
    listed: list[Any] = []
    for one in arguments:
        if one.symbol is not None:
            continue
        if one.name not in results:
            listed.append(None)
            continue
        held = numpy.asarray(results[one.name])
        name = str(one.value.dtype).rsplit(".", 1)[-1]
        wanted = held.dtype if name == "bfloat16" else numpy.dtype(name)
        held = held[:element_count(one.value)]  # An empty array was passed as one element.
        listed.append(numpy.array(held.view(wanted) if held.dtype.itemsize == wanted.itemsize else held).reshape(tuple(one.value.shape)))
    return listed


def are_all_expected(arguments: Sequence[Argument], answer: Sequence[Any]) -> bool:
    """Whether warptune itself can compare: every output has an answer of its type and size."""
    passed = [one for one in arguments if one.symbol is None]
    return all(
        one.kind != "inout" or (expected is not None and getattr(expected, "dtype", None) == one.value.dtype
                                and tuple(expected.shape) == tuple(one.value.shape) and str(expected.dtype) != "bool")
        for one, expected in zip(passed, answer, strict=True))


def expected_of(arguments: Sequence[Argument], answer: Sequence[Any]) -> dict[str, Any]:
    """The contents of each output after a launch."""
    return {f"a{at}": contents_of(expected) for at, expected in enumerate(answer) if expected is not None and arguments[at].kind == "inout"}


def check_of(arguments: Sequence[Argument], answer: Sequence[Any] | None, verify: Verify | None, atol: float) -> Callable[[Any], bool]:
    """A function that says whether the outputs of a launch are right."""
    import inspect
    takes_tolerance = verify is not None and "atol" in inspect.signature(verify).parameters
    hosted = None if answer is None else [None if one is None else on_host(one) for one in answer]

    def is_right(results: Mapping[str, Any]) -> bool:
        found = results_of(arguments, results)
        if answer is not None and any(one is not None for one in answer):  # As in Kernel Tuner, others are not copied.
            found = [one if expected is not None else None for one, expected in zip(found, answer, strict=True)]
        if verify is not None:
            return bool(verify(hosted, found, atol=atol) if takes_tolerance else verify(hosted, found))
        return all(expected is None or given.kind == "scalar" or _is_close(expected, one, atol)
                   for expected, one, given in zip(hosted or [], found, arguments, strict=False))
    return is_right


def _is_close(expected: Any, found: Any, atol: float) -> bool:
    import numpy
    if found is None or expected.size != found.size:
        raise InputError("an entry of answer= has another size than its argument")
    has_nan = bool(numpy.isnan(expected).any()) if expected.dtype.kind in "fc" else False
    return bool(numpy.allclose(expected.ravel(), found.ravel(), atol=atol, equal_nan=has_nan))


def data_options(arguments: Sequence[Argument], answer: Sequence[Any] | None, verify: Verify | None, atol: float) -> dict[str, Any]:
    """The arguments of `Kernel.tune` that give it the caller's data."""
    options: dict[str, Any] = {"inputs": inputs_of(arguments)}
    if verify is None and answer is not None and are_all_expected(arguments, answer):
        options["expected"] = expected_of(arguments, answer)
    elif verify is not None or answer is not None:
        options["check"] = check_of(arguments, answer, verify, atol)
    return options
