"""Translates constraints that are Python functions to warptune's expressions, or refuses them with the reason.

The syntax tree of the function is translated, and the function is never called. A function has one parameter for each name that it uses
(`lambda BLOCK, TILE: BLOCK * TILE <= 1024`). Or it has a single parameter that it subscripts (`lambda p: p["BLOCK"] * p["TILE"] <= 1024`).
Other names are variables outside of the function. They must be numbers or text, and their present values are used.
"""

import ast
import inspect
import linecache
import math
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NoReturn

from ._errors import InputError

_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_FUNCTIONS = {"min": "min", "max": "max", "abs": "abs", "math.sqrt": "sqrt", "math.exp": "exp", "math.log2": "log2", "math.floor": "floor"}
_REAL_FUNCTIONS = {"math.sqrt", "math.exp", "math.log2"}


def constraint_text(constraint: object, names: set[str], definition: Mapping[str, Any]) -> str:
    """Returns a constraint as an expression: a text unchanged, a function translated. Raises `InputError` if that is not possible.

    `names` are the parameters and the entries of the problem.
    """
    if isinstance(constraint, str):
        return constraint
    if not isinstance(constraint, FunctionType):
        raise InputError(f"the constraint {constraint!r} is neither text nor a Python function")
    return _Translation(constraint, names, definition).text()


Definition = ast.Lambda | ast.FunctionDef


def _definitions_at(line: int, tree: ast.Module) -> list[Definition]:
    """The functions that begin in a line."""
    return [node for node in ast.walk(tree)
            if (isinstance(node, ast.Lambda) and node.lineno == line)
            or (isinstance(node, ast.FunctionDef) and line in (node.lineno, *(one.lineno for one in node.decorator_list)))]


def _is_definition_of(node: Definition, tree: ast.Module, function: FunctionType) -> bool:
    """Whether a definition compiles to the function's code. Several lambdas may be on one line, and the file may have changed."""
    statement: ast.stmt = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    # The definition is compiled in surroundings like its own: in a function that has the closure's variables, and after the file's
    # imports, because Python compiles calls of imported modules differently.
    around = ast.FunctionDef(name="around", args=_arguments(function.__code__.co_freevars), body=[statement], decorator_list=[])
    around.type_params = []  # type: ignore[attr-defined, unused-ignore]
    imports = [one for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom))]
    module = ast.fix_missing_locations(ast.Module([*imports, around], []))
    try:
        constants = compile(module, "<constraint>", "exec").co_consts
    except SyntaxError:
        return False
    outer = next(constant for constant in constants if inspect.iscode(constant))
    return any(_comparable(code) == _comparable(function.__code__) for code in outer.co_consts if inspect.iscode(code))


def _comparable(code: CodeType) -> tuple[object, ...]:
    return code.co_code, code.co_names, code.co_varnames, [one for one in code.co_consts if not inspect.iscode(one)]


def _arguments(names: tuple[str, ...]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[])


class _Translation:
    """The translation of one function."""

    def __init__(self, function: FunctionType, names: set[str], definition: Mapping[str, Any]) -> None:
        self._function = function
        self._names = names
        self._definition = definition
        self._file = function.__code__.co_filename
        parameters = inspect.signature(function).parameters
        arguments = [name for name, one in parameters.items() if one.default is inspect.Parameter.empty]
        self._constants = {name: one.default for name, one in parameters.items() if name not in arguments}
        self._mapping = arguments[0] if len(arguments) == 1 and arguments[0] not in names else None
        unknown = [] if self._mapping else [name for name in arguments if name not in names]
        if unknown:
            self._refuse(None, f"{unknown[0]} is neither a parameter nor an entry of the problem")

    def text(self) -> str:
        try:
            tree = ast.parse("".join(linecache.getlines(self._file)))
        except SyntaxError:
            self._refuse(None, "the file of the function is not Python")
        if not tree.body:
            self._refuse(None, "the source of the function is not known")
        found = [node for node in _definitions_at(self._function.__code__.co_firstlineno, tree)
                 if _is_definition_of(node, tree, self._function)]
        if not found:
            self._refuse(None, "the source of the function has changed, or no function on its line compiles to the same code")
        node = found[0]
        if isinstance(node, ast.Lambda):
            return self._condition(node.body)
        body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            self._refuse(body[0] if body else node, "only a function of one return statement can be translated")
        return self._condition(body[0].value)

    def _refuse(self, node: ast.AST | None, why: str) -> NoReturn:
        line = getattr(node, "lineno", self._function.__code__.co_firstlineno)
        column = getattr(node, "col_offset", -1) + 1
        raise InputError(f"this constraint cannot be translated: {why}; write it as text, in warptune's expressions",
                         self._file, line, column)

    def _condition(self, node: ast.AST) -> str:
        """Translates an expression of which only the truth value is used."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(self._condition(value) for value in node.values) + ")"
        return self._expression(node)

    def _expression(self, node: ast.AST) -> str:
        translate: Callable[[Any], str] | None = getattr(self, f"_of_{type(node).__name__}", None)
        if translate is None:
            self._refuse(node, f"expressions have nothing like `{ast.unparse(node)}`")
        return translate(node)

    def _of_Constant(self, node: ast.Constant) -> str:
        return self._literal(node, node.value)

    def _literal(self, node: ast.AST, value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            if isinstance(value, float) and not math.isfinite(value):
                self._refuse(node, f"{value} is not a finite number")
            # Subclasses, such as members of IntEnum and NumPy's float64, have another `repr`.
            text = float.__repr__(value) if isinstance(value, float) else int.__repr__(value)
            return text if value >= 0 else f"({text})"
        if isinstance(value, str):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
            return f'"{escaped}"'
        self._refuse(node, f"{value!r} is neither a number nor text")

    def _of_Name(self, node: ast.Name) -> str:
        if node.id == self._mapping:
            self._refuse(node, f"{node.id} can only be subscripted with a name")
        if node.id in self._constants:
            return self._literal(node, self._constants[node.id])
        if node.id in self._function.__code__.co_varnames:
            return node.id
        around = inspect.getclosurevars(self._function)
        for scope in (around.nonlocals, around.globals):
            if node.id in scope:
                return self._literal(node, scope[node.id])
        if node.id in self._names:
            return node.id
        self._refuse(node, f"{node.id} is not known")

    def _of_Subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.value, ast.Name) and node.value.id == self._mapping and isinstance(node.slice, ast.Constant):
            name = node.slice.value
            if name in self._names:
                return str(name)
            self._refuse(node, f"{name!r} is neither a parameter nor an entry of the problem")
        self._refuse(node, f"expressions have nothing like `{ast.unparse(node)}`")

    def _of_BoolOp(self, node: ast.BoolOp) -> str:  # In Python, its value is one of the sides.
        self._refuse(node, f"`{ast.unparse(node)}` is used as a number")

    def _of_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!({self._condition(node.operand)})"
        if isinstance(node.op, ast.USub):
            return f"(-{self._expression(node.operand)})"
        if isinstance(node.op, ast.UAdd):
            return self._expression(node.operand)
        self._refuse(node, "expressions have no operators on bits")

    def _of_BinOp(self, node: ast.BinOp) -> str:
        left, right = self._expression(node.left), self._expression(node.right)
        if type(node.op) in _ARITHMETIC:
            return f"({left} {_ARITHMETIC[type(node.op)]} {right})"
        if isinstance(node.op, ast.Div):  # In expressions, the division of integers truncates.
            return f"({left} / (1.0 * {right}))"
        if isinstance(node.op, ast.Pow):  # `pow` gives a real, and products of integers stay integers.
            power = node.right.value if isinstance(node.right, ast.Constant) else None
            is_small = type(power) is int and 1 <= power <= 8
            return f"({' * '.join([left] * int(right))})" if is_small else f"pow({left}, {right})"
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return self._rounded_down(node, left, right)
        self._refuse(node, "expressions have no operators on bits")

    def _rounded_down(self, node: ast.BinOp, left: str, right: str) -> str:
        """Python's `//` rounds down and its `%` has the sign of the divisor. Expressions truncate, as C does."""
        if any(self._may_be_real(side) for side in (node.left, node.right)):
            self._refuse(node, f"`{ast.unparse(node)}` divides a real, and expressions have // and % for integers alone")
        is_quotient = isinstance(node.op, ast.FloorDiv)
        if not (self._may_be_negative(node.left) or self._may_be_negative(node.right)):
            return f"({left} {'//' if is_quotient else '%'} {right})"
        remainder = f"((({left} % {right}) + {right}) % {right})"
        return f"(({left} - {remainder}) // {right})" if is_quotient else remainder

    def _values_of(self, node: ast.AST) -> list[object] | None:
        """The values that the definition gives a parameter or an entry of the problem. None if the node does not name one."""
        name: object = node.id if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name = node.slice.value
        if name not in self._names:
            return None
        return [*_scalars(self._definition.get("parameters", {}).get(name)), *_scalars(self._definition.get("problem", {}).get(name))]

    def _may_be_real(self, node: ast.AST) -> bool:
        """Whether the value, or a value from which it is computed, may be a real number."""
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            return name in _REAL_FUNCTIONS or (name != "math.floor" and any(self._may_be_real(one) for one in node.args))
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Pow)):
            return isinstance(node.op, ast.Div) or "pow(" in self._expression(node)
        if isinstance(node, ast.Name) and node.id not in self._names and node.id != self._mapping:
            return "." in self._expression(node) or "e" in self._expression(node)
        if (values := self._values_of(node)) is not None:
            return any(isinstance(value, float) for value in values)
        return any(self._may_be_real(child) for child in ast.iter_child_nodes(node))

    def _may_be_negative(self, node: ast.AST) -> bool:
        """Whether the value, or a value from which it is computed, may be negative. A name may have any of its values in the definition."""
        if isinstance(node, (ast.Sub, ast.USub)):
            return True
        if isinstance(node, ast.Call):
            return ast.unparse(node.func) != "abs" and any(self._may_be_negative(one) for one in node.args)
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float)) and node.value < 0
        if isinstance(node, ast.Name) and node.id not in self._names and node.id != self._mapping:
            return self._expression(node).startswith("(-")
        if (values := self._values_of(node)) is not None:
            return any(isinstance(value, (int, float)) and value < 0 for value in values)
        return any(self._may_be_negative(child) for child in ast.iter_child_nodes(node))

    def _of_Compare(self, node: ast.Compare) -> str:
        parts, left = [], node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            parts.append(self._comparison(node, left, operator, right))
            left = right
        return parts[0] if len(parts) == 1 else "(" + " && ".join(parts) + ")"

    def _comparison(self, node: ast.Compare, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> str:
        if type(operator) in _COMPARISONS:
            return f"({self._expression(left)} {_COMPARISONS[type(operator)]} {self._expression(right)})"
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (ast.Tuple, ast.List, ast.Set)) and right.elts:
            value = self._expression(left)
            found = "(" + " || ".join(f"{value} == {self._expression(one)}" for one in right.elts) + ")"
            return found if isinstance(operator, ast.In) else f"!{found}"
        self._refuse(node, f"expressions have nothing like `{ast.unparse(node)}`")

    def _of_IfExp(self, node: ast.IfExp) -> str:
        return f"({self._condition(node.test)} ? {self._expression(node.body)} : {self._expression(node.orelse)})"

    def _of_Call(self, node: ast.Call) -> str:
        name = _FUNCTIONS.get(ast.unparse(node.func))
        if name is None or node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            self._refuse(node, f"expressions have nothing like `{ast.unparse(node)}`")
        return f"{name}({', '.join(self._expression(one) for one in node.args)})"


def _scalars(values: object) -> Iterator[object]:
    """The values of a parameter or of an entry of the problem, in any form that definitions have."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, (list, tuple, range)):
        for held in values:
            yield from _scalars(held)
    elif values is not None:
        yield values
