"""Python functions as constraints. Each translation is evaluated by warptune's engine and compared with the function itself."""

import enum
import itertools
import math
from collections.abc import Callable

import pytest

import warptune
from warptune.constraints import constraint_text

LIMIT = 1024
ENDLESS = math.inf


class Sizes(enum.IntEnum):
    MOST = 12


class Real(float):
    """Writes itself as NumPy's reals do."""

    def __repr__(self) -> str:
        return f"np.float64({float(self)})"


MOST = Sizes.MOST
HALF = Real(-0.5)
SOURCE = """__global__ void k(int* x) {
  x[0] = A + B;
}
"""


def kernel(constraint: object, a: list[object], b: list[object]) -> warptune.Kernel:
    return warptune.Kernel(
        name="k", source=SOURCE, entry="k", parameters={"A": a, "B": b}, constraints=[constraint, "A == A"], default={"A": a[0], "B": b[0]},
        launch={"grid": [1], "block": [32]}, arguments=[{"name": "x", "kind": "out", "type": "i32", "count": 1}], problem={"N": 8})


def named_function(A: int, B: int) -> bool:
    """The translation leaves this docstring out."""
    return A % 3 == B % 3


def in_a_function(limit: int) -> Callable[..., bool]:
    return lambda A, B: A * B <= limit


FUNCTIONS: list[Callable[..., bool]] = [
    lambda A, B: A * B <= 12,
    lambda A, B: A + B < 9 and not A == B,
    lambda A, B: A > B or B == 2,
    lambda A, B: 2 <= A < B,
    lambda A, B: A in (1, 3, 5),
    lambda A, B: A not in [1, 3] and B != 2,
    lambda A, B: A / B > 1.5,
    lambda A, B: A // B == 1,
    lambda A, B: (A - B) // 2 == -1,
    lambda A, B: (A - B) % 3 == 2,
    lambda A, B: (A - 4) // -3 == 0,
    lambda A, B: A ** 2 > B,
    lambda A, B: A ** 2.0 > B,
    lambda A, B: A * B <= MOST,
    lambda A, B: A * HALF < 1 - B,
    lambda A, B: min(A, B) == 1 or max(A, B, 4) > 5,
    lambda A, B: abs(A - B) <= 1,
    lambda A, B: (A if B > 2 else B) == 2,
    lambda A, B: math.log2(A * B) > 2.1,
    lambda A, B: A * B <= LIMIT // 100,
    lambda A, B: A ** 2 % 3 == B % 3,
    lambda A, B: A ** 0.5 < B - 1,
    lambda A, B, most=8: A + B < most,
    lambda A: A != 2,
    lambda p: p["A"] * p["B"] <= 10,
    lambda B, A: A <= B,
    named_function,
    in_a_function(7),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: constraint_text(function, {"A", "B"}, {}))
def test_a_translation_means_what_the_function_does(function: Callable[..., bool]) -> None:
    values = [1, 2, 3, 4, 5, 6]
    names = function.__code__.co_varnames
    wanted = set()
    for a, b in itertools.product(values, values):
        given = {"A": a, "B": b}
        if function(given) if names == ("p",) else function(**{name: given[name] for name in names if name in given}):
            wanted.add((a, b))
    first = min(wanted)
    space = kernel(function, [first[0], *(v for v in values if v != first[0])], [first[1], *(v for v in values if v != first[1])]).space
    assert {(one["A"], one["B"]) for one in space} == wanted


def test_parameters_below_zero_are_divided_as_python_does() -> None:
    a, b = [-5, -4, -3, 3, 4, 5], [3, 2, -2]
    space = kernel(lambda A, B: A // B == -2 and A % B in (1, -1), [-5, -4, -3, 3, 4, 5], b).space
    assert {(one["A"], one["B"]) for one in space} == {(x, y) for x in a for y in b if x // y == -2 and x % y in (1, -1)}


def test_a_division_of_a_parameter_with_a_fraction_is_refused() -> None:
    with pytest.raises(warptune.InputError, match="divides a real"):
        constraint_text(lambda A: A // 2 == 0, {"A"}, {"parameters": {"A": {"values": [0.5, 1.5]}}})


def test_two_functions_of_one_line_are_told_apart() -> None:
    first, second = lambda A, B: A < B, lambda A, B: A > B
    assert constraint_text(first, {"A", "B"}, {}) == "(A < B)"
    assert constraint_text(second, {"A", "B"}, {}) == "(A > B)"


def test_a_power_of_a_bool_is_no_product() -> None:
    assert constraint_text(lambda A: A ** True == A, {"A"}, {}) == "(pow(A, true) == A)"


def many_statements(A: int) -> bool:
    twice = 2 * A
    return twice < 8


@pytest.mark.parametrize(("function", "why"), [
    (many_statements, "only a function of one return statement"),
    (lambda A: A & 1 == 0, "no operators on bits"),
    (lambda A, B: (A > 2 and B) == 1, "used as a number"),
    (lambda A, B: A / B // 1 == 1, "divides a real"),
    (lambda A, B: math.sqrt(A) % 1 == 0, "divides a real"),
    (lambda A: len(str(A)) == 1, "nothing like"),
    (lambda A, nope: A < nope, "nope is neither a parameter"),
    (lambda p: p["C"] < 3, "'C' is neither a parameter"),
    (lambda p: p.get("A") < 3, "nothing like"),
    (lambda A: A in range(3), "nothing like"),
    (lambda A: A < FUNCTIONS, "neither a number nor text"),  # type: ignore[operator]
    (lambda A: [B for B in (A,)] == 1, "nothing like"),
    (lambda A: A < 1e999, "inf is not a finite number"),
    (lambda A: A < ENDLESS, "inf is not a finite number"),
])
def test_what_cannot_be_translated_is_refused_at_its_place(function: Callable[..., bool], why: str) -> None:
    with pytest.raises(warptune.InputError, match=why) as caught:
        constraint_text(function, {"A", "B"}, {})
    assert caught.value.file == __file__
    assert caught.value.line >= function.__code__.co_firstlineno
    assert "write it as text" in str(caught.value)


def test_a_function_without_source_is_refused() -> None:
    scope: dict[str, Callable[..., bool]] = {}
    exec("def made(A): return A < 3", scope)
    with pytest.raises(warptune.InputError, match="the source of the function is not known"):
        constraint_text(scope["made"], {"A"}, {})
    with pytest.raises(warptune.InputError, match="neither text nor a Python function"):
        constraint_text(len, {"A"}, {})
