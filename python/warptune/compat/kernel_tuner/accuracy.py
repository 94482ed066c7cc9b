"""Arguments that depend on a parameter, `Tunable` and `TunablePrecision`, and errors of outputs: `AccuracyObserver`."""

import contextlib
import importlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..._errors import InputError
from .observers import OutputObserver
from .tabulation import Space, table_of
from .util import evaluate


class Tunable(dict[Any, Any]):
    """Several values for one argument. A parameter decides which of them a configuration gets."""

    def __init__(self, param_key: "str | Callable[[Mapping[str, Any]], Any]", arrays: "Mapping[Any, Any] | Sequence[Any]") -> None:
        """`param_key` is a parameter, an expression of parameters, or a function of a configuration. Its value is a key of `arrays`."""
        super().__init__(enumerate(arrays) if isinstance(arrays, (tuple, list)) else arrays)
        self.param_key = param_key

    def option_for(self, params: Mapping[str, Any]) -> Any:
        """The key for a configuration. Raises `InputError` if there is no such key."""
        if callable(self.param_key):
            option = self.param_key(params)
        else:
            option = params[self.param_key] if self.param_key in params else evaluate(self.param_key, params)
        if option not in self:
            raise InputError(f"{option!r} is not a key of this Tunable: expected one of {', '.join(map(str, self))}")
        return option

    def select_for_configuration(self, params: Mapping[str, Any]) -> Any:
        """The value that a configuration gets."""
        chosen = self[self.option_for(params)]
        return chosen.select_for_configuration(params) if isinstance(chosen, Tunable) else chosen

    def path_for(self, params: Mapping[str, Any]) -> str:
        """A text that is the same for configurations that get the same value."""
        option = self.option_for(params)
        rest = self[option].path_for(params) if isinstance(self[option], Tunable) else ""
        return f"{option!r}/{rest}"

    def __call__(self, params: Mapping[str, Any]) -> Any:
        return self.select_for_configuration(params)


def _types() -> dict[str, Any]:
    import numpy
    types: dict[str, Any] = {"half": numpy.half, "float": numpy.single, "double": numpy.double}
    with contextlib.suppress(ImportError):
        types["bfloat16"] = importlib.import_module("ml_dtypes").bfloat16
    return types


def _type_of(name: str) -> Any:
    import numpy
    plain = name.lower()
    same = {"bfloat16": r"k?bfloat16|bf16|__nv_bfloat16", "half": r"k?half|f16|float16|__half", "float": r"k?float|single|f32|float32",
            "double": r"k?double|f64|float64"}
    found = next((kind for kind, names in same.items() if re.fullmatch(names, plain)), None)
    if found is None:
        try:
            return numpy.dtype(plain)
        except TypeError:
            raise InputError(f"TunablePrecision has the type {name}, which NumPy does not know") from None
    if found not in _types():
        raise InputError(f"TunablePrecision has the type {name}, which NumPy knows with the package ml_dtypes: it is not installed")
    return _types()[found]


class TunablePrecision(Tunable):
    """An array in several precisions. A parameter decides in which of them a configuration gets it."""

    def __init__(self, param_key: "str | Callable[[Mapping[str, Any]], Any]", array: Any,
                 dtypes: "Mapping[str, Any] | Sequence[str] | None" = None) -> None:
        """`dtypes` maps the parameter's values to types of NumPy. By default they are half, float, double, and bfloat16 with ml_dtypes."""
        import numpy
        if isinstance(dtypes, (list, tuple)):
            dtypes = {name: _type_of(name) for name in dtypes}
        held = array if isinstance(array, numpy.generic) else numpy.array(array)
        chosen: Mapping[str, Any] = dtypes if isinstance(dtypes, Mapping) and dtypes else _types()
        super().__init__(param_key, {name: held.astype(kind) for name, kind in chosen.items()})


Metric = Callable[[Any, Any], float]
"""The error of an output: a function of the answer and the output, which are arrays of NumPy."""

_SHORT = {"mse": "mean squared", "rmse": "root mean squared", "nrmse": "normalized root mean squared", "mae": "mean absolute",
          "mre": "mean relative", "rmsre": "root mean squared relative", "male": "mean absolute logarithmic",
          "rmsle": "root mean squared logarithmic"}
_WORDS = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "max": "maximum", "rel": "relative", "abs": "absolute",
          "log": "logarithmic", "error": ""}
_METRICS = [*_SHORT.values(), "absolute", "relative", "maximum", "maximum absolute", "maximum relative"]


def metric_of(name: str, atol: float) -> Metric:
    """The error with one of Kernel Tuner's names, such as `RMSE` or `maximum relative error`.

    In relative errors, the absolute answer is at least `atol`. For logarithmic errors, `atol` is added to both arrays. Raises
    `InputError` for another name.
    """
    words = " ".join(_WORDS.get(word, word) for word in re.split(r"[\s_-]+", name.lower()))
    key = " ".join(_SHORT.get(words.strip(), words).split())
    if key not in _METRICS:
        raise InputError(f"AccuracyObserver({name!r}) has no such error: expected one of {', '.join([*_SHORT, *_METRICS])}")

    def error(answer: Any, output: Any) -> float:
        import numpy
        answer, output = (numpy.asarray(one, dtype=numpy.float64) for one in (answer, output))
        if "logarithmic" in key:
            difference = numpy.log10(answer + atol) - numpy.log10(output + atol)
        elif "relative" in key:
            difference = (answer - output) / numpy.maximum(numpy.abs(answer), atol)
        else:
            difference = answer - output
        if "maximum" in key:
            return float(numpy.max(numpy.abs(difference)))
        if "squared" not in key:
            return float(numpy.mean(numpy.abs(difference)))
        mean = numpy.mean(numpy.square(difference)) / (numpy.mean(numpy.square(answer)) if "normalized" in key else 1.0)
        return float(numpy.sqrt(mean) if "root" in key else mean)
    return error


class AccuracyObserver(OutputObserver):
    """The largest error of an output that has an answer. A result has it under `key`."""

    def __init__(self, metric: "str | Metric | None" = None, key: str = "error", *, atol: float = 1e-8) -> None:
        """`metric` is a name that `metric_of` knows, or a function of an answer and an output. The default is RMSE.

        Raises `InputError` for an unknown name.
        """
        self.key = key
        self.metric: Metric = metric if callable(metric) else metric_of(metric or "rmse", atol)
        self.result: float | None = None

    def process_output(self, answers: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Takes the outputs of a launch. Entries without an answer do not count."""
        self.result = max(self.metric(answer, output) for answer, output in zip(answers, outputs, strict=True) if answer is not None)

    def get_results(self) -> dict[str, Any]:
        """The error of the outputs that were taken last."""
        return {self.key: self.result}


def selected(arguments: Sequence[Any], params: Mapping[str, Any]) -> list[Any]:
    """The arguments that a configuration gets."""
    return [one.select_for_configuration(params) if isinstance(one, Tunable) else one for one in arguments]


def is_tunable(arguments: Any, answer: Any) -> bool:
    """Whether an argument or the answer depends on a configuration."""
    return isinstance(answer, Tunable) or any(isinstance(one, Tunable) for one in [*(arguments or ()), *(answer or ())])


class Selection:
    """The configurations that get the same arguments."""

    def __init__(self, arguments: list[Any], answer: Any, names: list[str], held: set[tuple[Any, ...]]) -> None:
        self.arguments = arguments
        self.answer = answer
        self.error: Exception | None = None
        """Set if their arguments cannot be determined: the exception that a `Tunable` raised."""
        self._names = names
        self._held = held

    def holds(self, params: Mapping[str, Any]) -> bool:
        """Whether a configuration is one of them. This function is used as a restriction."""
        return tuple(params[name] for name in self._names) in self._held


def selections(arguments: Sequence[Any], answer: Any, space: Space) -> Iterator[Selection]:
    """The selections of a space. A selection with an error matters only if the restrictions allow one of its configurations.

    Raises `InputError` if they depend on too many combinations of parameters.
    """
    tunables = [one for one in [*arguments, answer] if isinstance(one, Tunable)]
    errors: dict[str, Exception] = {}

    def path_of(params: Mapping[str, Any]) -> str:
        try:
            return "".join(one.path_for(params) for one in tunables)
        except Exception as error:  # A function of the caller may raise anything.
            path = f"{type(error).__name__}: {error}"
            errors[path] = error
            return path
    names, table = table_of(path_of, space, "a Tunable")
    for _, group in itertools.groupby(sorted(table, key=table.__getitem__), key=table.__getitem__):
        held = list(group)
        first_values = {name: values[0] for name, values in space.items()}
        params = {**first_values, **dict(zip(names, held[0], strict=True))}
        if table[held[0]] in errors:
            failed = Selection([], None, names, set(held))
            failed.error = errors[table[held[0]]]
            yield failed
            continue
        chosen = answer.select_for_configuration(params) if isinstance(answer, Tunable) else answer
        yield Selection(selected(arguments, params), chosen, names, set(held))
