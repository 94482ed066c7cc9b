"""Turns Python functions of a configuration into expressions, by a table of their values.

A function that has no translation is called for every combination of the parameters that it reads. Its values become nested
conditions, in which equal parts occur once.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..._errors import InputError

MAX_CALLS = 1_000_000
"""The maximum number of combinations for which a function is called."""
MAX_CHARACTERS = 1 << 20
"""The maximum length of an expression that is made from a table."""

Space = Mapping[str, Sequence[Any]]
"""The values of each parameter."""


class _Watched(dict[str, Any]):
    """A configuration that records which of its parameters are read."""

    def __init__(self, values: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(values)
        self._read = read

    def __getitem__(self, name: str) -> Any:
        if name in self:
            self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        self._read.update(super().keys())
        return super().__iter__()

    def keys(self) -> Any:
        self._read.update(super().keys())
        return super().keys()

    def values(self) -> Any:
        self._read.update(super().keys())
        return super().values()

    def items(self) -> Any:
        self._read.update(super().keys())
        return super().items()


def table_of(function: Callable[[dict[str, Any]], Any], space: Space, what: str) -> tuple[list[str], dict[tuple[Any, ...], Any]]:
    """The parameters that a function reads, and its value for each combination of them.

    `what` names the function in messages. Raises `InputError` if there are too many combinations.
    """
    read: set[str] = set()
    while True:
        names = [name for name in space if name in read]
        count = math.prod(len(space[name]) for name in names)
        if count > MAX_CALLS:
            raise InputError(f"{what} depends on {count} combinations of {', '.join(names)}, and at most {MAX_CALLS} are tried; "
                             f"write it as text, in Python's operators")
        first_values = {name: values[0] for name, values in space.items()}
        table = {}
        for held in itertools.product(*(space[name] for name in names)):
            table[held] = function(_Watched({**first_values, **dict(zip(names, held, strict=True))}, read))
            if not read.issubset(names):  # The function read another parameter: begin again with a larger table.
                break
        else:
            return names, table


def literal(value: Any) -> str:
    """A value in warptune's expressions. Raises `InputError` for other kinds of values."""
    if hasattr(value, "item") and not isinstance(value, (bool, int, float, str)):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and math.isfinite(value):
        text = float.__repr__(value) if isinstance(value, float) else int.__repr__(value)
        return text if value >= 0 else f"({text})"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    raise InputError(f"{value!r} is not a value of an expression: expected a bool, a finite number or text")


def joined(parts: Sequence[str], sign: str) -> str:
    """Joins conditions by an operator, as a balanced tree. A chain would be nested too deeply."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({joined(parts[:middle], sign)} {sign} {joined(parts[middle:], sign)})"


def _among(name: str, values: Sequence[Any]) -> str:
    return joined([f"{name} == {literal(value)}" for value in values], "||")


def _choice(branches: list[tuple[str, str]], is_condition: bool) -> str:
    """The value of the first branch whose condition holds. The last needs none."""
    if is_condition:
        kept = [condition if text == "true" else f"({condition}) && {text}" for condition, text in branches if text != "false"]
        return joined([f"({one})" for one in kept], "||")
    if len(branches) == 1:
        return branches[0][1]
    middle = len(branches) // 2  # Halves, because a chain would be nested too deeply.
    first = joined([f"({condition})" for condition, _ in branches[:middle]], "||")
    return f"({first} ? {_choice(branches[:middle], False)} : {_choice(branches[middle:], False)})"


def expression_of(names: Sequence[str], table: Mapping[tuple[Any, ...], Any], space: Space, what: str) -> str:
    """A table as an expression. Raises `InputError` if it is too long."""
    is_condition = all(isinstance(value, bool) for value in table.values())

    def text_from(at: int, held: tuple[Any, ...]) -> str:
        if at == len(names):
            return literal(table[held])
        groups: dict[str, list[Any]] = {}
        for value in space[names[at]]:
            groups.setdefault(text_from(at + 1, (*held, value)), []).append(value)
        if len(groups) == 1:
            return next(iter(groups))
        text = _choice([(_among(names[at], values), part) for part, values in groups.items()], is_condition)
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"{what} has too many different values for an expression; write it as text, in Python's operators")
        return text

    return text_from(0, ())
