"""Translates restrictions, sizes, divisors and macros of Kernel Tuner to warptune's expressions."""

import inspect
import linecache
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import FunctionType
from typing import Any

from ..._errors import InputError
from ...constraints import constraint_text
from .tabulation import Space, expression_of, table_of
from .util import evaluate, replace_names

PLAIN = re.compile(r"(?:[A-Za-z_]\w*|\d+)(?:\s*\*\s*(?:[A-Za-z_]\w*|\d+))*")
"""A name, a whole number, or a product of these. Such a text means the same in Python and in warptune's expressions."""
BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")


def check_restriction(restriction: object, names: Iterable[str]) -> Callable[[dict[str, Any]], bool]:
    """A restriction as a Python function of a configuration. A division by zero does not exclude a configuration, as in Kernel Tuner.

    Raises `InputError` for another kind of restriction.
    """
    function: Callable[[dict[str, Any]], Any]
    if isinstance(restriction, str):
        used = _names_in(restriction, names)
        function = lambda values: evaluate(restriction, {name: values[name] for name in used})  # noqa: E731
    elif isinstance(restriction, (list, tuple)) and len(restriction) in (2, 3) and callable(restriction[0]):
        called, chosen = restriction[0], list(restriction[1])
        function = lambda values: called(**{name: values[name] for name in chosen})  # noqa: E731
    elif callable(restriction):
        function = _with_configuration(restriction, set(names))
    else:
        raise InputError(f"the restriction {restriction!r} has no equivalent: expected text or a function")

    def holds(values: dict[str, Any]) -> bool:
        try:
            return bool(function(values))
        except ZeroDivisionError:
            return True
    return holds


def _with_configuration(function: Callable[..., Any], names: set[str]) -> Callable[[dict[str, Any]], Any]:
    """Makes a function of one dictionary from one that takes a dictionary, or parameters by their names."""
    try:
        taken = [name for name, one in inspect.signature(function).parameters.items() if one.default is inspect.Parameter.empty]
    except (TypeError, ValueError):
        return function
    if taken and all(name in names for name in taken):
        return lambda values: function(**{name: values[name] for name in taken})
    if len(taken) == 1:
        return function
    return lambda values: function(**values)


def restriction_list(restrictions: object) -> list[object]:
    """The restrictions one by one. None is an empty list, and one function or text is a list of one."""
    if restrictions is None:
        return []
    return list(restrictions) if isinstance(restrictions, (list, tuple)) else [restrictions]


def constraint_of(restriction: object, space: Space) -> str:
    """A restriction as an expression: by translation if that is possible, or else by a table of its values."""
    what = f"the restriction {restriction!r}"
    if isinstance(restriction, (str, FunctionType)):
        function = _function_of(restriction, space) if isinstance(restriction, str) else restriction
        try:
            text = constraint_text(function, set(space), {"parameters": dict(space)})
            if not _may_divide_by_zero(text, space):
                return text
        except InputError:
            pass  # The table below is used instead.
    holds = check_restriction(restriction, space)
    names, table = table_of(holds, space, what)
    return expression_of(names, table, space, what)


def _may_divide_by_zero(text: str, space: Space) -> bool:
    """Whether an expression divides by something that may be 0. In Kernel Tuner, a restriction that divides by zero holds."""
    return any(_may_be_zero(divisor, space) for divisor in _divisors(text))


def _divisors(text: str) -> Iterator[str]:
    """What follows each `/`, `//` and `%`: a word or a number, a call, or what is in parentheses."""
    for sign in re.finditer(r"(?://?|%)\s*([\w.]*)", text):
        at, depth = sign.end(), 0
        while at < len(text) and (depth > 0 or (at == sign.end() and text[at] == "(")):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield text[sign.start(1):at]


def _may_be_zero(text: str, space: Space) -> bool:
    """Whether a divisor may be 0. The test is coarse.

    It knows only that products of values other than 0 are not 0, and neither are sums and products of values above 0.
    """
    if not re.fullmatch(r"[\w.\s*+()]+", text):
        return True
    lowest = 0 if "+" in text else None
    for word in re.findall(r"[\w.]+", text):
        values = space.get(word, [float(word)] if re.fullmatch(r"\d+(\.\d*)?", word) else [0])
        if any(not isinstance(value, str) and (value == 0 or (lowest is not None and value < lowest)) for value in values):
            return True
    return False


def _names_in(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in a text as words."""
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]


def _function_of(text: str, space: Space) -> FunctionType:
    """A Python expression as a function whose source is known."""
    used = _names_in(text, space)
    source = f"lambda {', '.join(used)}: ({text.strip()})\n"
    file = f"<restriction {text}>"
    linecache.cache[file] = (len(source), None, [source], file)
    try:
        function = eval(compile(source.strip(), file, "eval"), {})
    except SyntaxError as error:
        raise InputError(f"the restriction {text!r} is not Python: {error.msg}") from None
    assert isinstance(function, FunctionType)
    return function


def number_text(function: Callable[[dict[str, Any]], Any], space: Space, what: str) -> str:
    """A whole number of each configuration as an expression."""
    names, table = table_of(lambda values: int(function(values)), space, what)
    return expression_of(names, table, space, what)


def macro_text(value: object, space: Space, name: str) -> str:
    """The text of a macro for each configuration, as an expression."""
    def text(values: dict[str, Any]) -> str:
        return str(value(values)) if callable(value) else replace_names(str(value), values)
    names, table = table_of(text, space, f"the macro {name}")
    return expression_of(names, table, space, f"the macro {name}")


class Geometry:
    """The grid and the block of each configuration."""

    def __init__(self, problem_size: Any, divisors: list[Any], block_names: list[str], space: Space) -> None:
        """`divisors` are `grid_div_x`, `grid_div_y` and `grid_div_z`, and `block_names` are three names."""
        self._problem_size = problem_size
        self._divisors = divisors
        self._block_names = block_names
        self._space = space

    def block(self) -> list[str]:
        """Expressions of the block's dimensions."""
        return [name if name in self._space else default for name, default in zip(self._block_names, ("256", "1", "1"), strict=True)]

    def grid(self) -> list[str]:
        """Expressions of the grid's dimensions."""
        return [self._plain(axis) or number_text(partial(self._grid_at, axis), self._space, f"grid_div_{'xyz'[axis]}") for axis in range(3)]

    def _plain(self, axis: int) -> str | None:
        """The expression for one axis, if it follows from the texts of the size and the divisors. None if a table is needed."""
        size, divisor = self._size_text(axis), self._divisors[axis]
        if divisor is None:
            divisor = [self._block_names[axis]] if self._block_names[axis] in self._space else []
        parts = [divisor] if isinstance(divisor, (str, int)) else divisor
        if size is None or callable(parts) or not all(isinstance(one, (str, int)) and PLAIN.fullmatch(str(one)) for one in parts):
            return None
        if not all(self._is_whole(str(one)) for one in parts):
            return None
        return size if not parts else f"ceil_div({size}, {' * '.join(str(one) for one in parts)})"

    def _is_whole(self, text: str) -> bool:
        """Whether a product has only whole numbers and parameters whose values are such."""
        return all(word.isdigit() or all(type(value) is int for value in self._space.get(word, "x")) for word in re.findall(r"\w+", text))

    def _size_text(self, axis: int) -> str | None:
        if callable(self._problem_size):
            return None
        sizes = self._problem_size if isinstance(self._problem_size, (tuple, list)) else (self._problem_size,)
        if axis >= len(sizes):
            return "1"
        size = sizes[axis]
        if isinstance(size, str):
            return size if PLAIN.fullmatch(size) and self._is_whole(size) else None
        try:
            return str(size.__index__())
        except AttributeError:
            raise InputError(f"problem_size holds {size!r}: expected whole numbers or texts") from None

    def sizes(self, values: dict[str, Any]) -> list[int]:
        """The problem's size for a configuration. Raises `InputError` for anything else."""
        found = self._problem_size(values) if callable(self._problem_size) else self._problem_size
        listed = list(found) if isinstance(found, (tuple, list)) else [found]
        numbers = [int(evaluate(one, values)) if isinstance(one, str) else int(one) for one in listed]
        return [*numbers, 1, 1, 1][:3]

    def _grid_at(self, axis: int, values: dict[str, Any]) -> int:
        divisor = self._divisors[axis]
        by = values.get(self._block_names[axis], 1) if divisor is None else _divisor_of(divisor, values)
        return math.ceil(float(self.sizes(values)[axis]) / float(by))


def _divisor_of(divisor: Any, values: dict[str, Any]) -> Any:
    """The product of the divisors. They are numbers, texts, functions, or lists of these."""
    if callable(divisor):
        return divisor(values)
    if isinstance(divisor, str):
        return int(evaluate(divisor, values))
    if isinstance(divisor, Iterable):
        return math.prod(_divisor_of(one, values) for one in divisor)
    return divisor


def block_size_names(names: list[str] | None, parameters: Mapping[str, object]) -> list[str]:
    """Three names of the block's dimensions. Raises `InputError` for a wrong list."""
    if names is not None and (not isinstance(names, list) or len(names) > 3 or not all(isinstance(one, str) for one in names)):
        raise InputError("block_size_names= must be a list of at most three texts")
    chosen = list(names or sorted((one for one in parameters if one.lower() in BLOCK_NAMES and one not in BLOCK_NAMES), key=str.casefold))
    return [*chosen, *BLOCK_NAMES[len(chosen):]]
