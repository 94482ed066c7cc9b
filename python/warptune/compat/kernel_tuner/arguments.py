"""The arguments of a call: their types, kinds and contents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._errors import InputError

TYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "u8"}
"""warptune's types by the names that NumPy, CuPy and PyTorch use."""


@dataclass(frozen=True)
class Argument:
    """An argument of the kernel, or the contents of a `__constant__` variable."""

    name: str
    kind: str
    """`in`, `inout` or `scalar`."""
    type: str
    value: Any
    """What the caller gave."""
    symbol: str | None = None

    @property
    def table(self) -> dict[str, Any]:
        """The `[[argument]]` table."""
        if self.kind == "scalar":
            return {"name": self.name, "kind": "scalar", "type": self.type, "value": scalar_text(self.value)}
        # A buffer has at least one element. The kernel gets one for an empty array (`contents_of`).
        table = {"name": self.name, "kind": self.kind, "type": self.type, "count": str(max(1, element_count(self.value)))}
        return table if self.symbol is None else {**table, "symbol": self.symbol}


def scalar_text(value: Any) -> str:
    """A number as an expression."""
    from .tabulation import literal
    number = value.item()
    return literal(int(number) if isinstance(number, bool) else number)


def type_name(value: Any, position: str) -> str:
    """warptune's type of an array or of a scalar. Raises `InputError` if there is none."""
    dtype = getattr(value, "dtype", None)
    name = str(dtype).rsplit(".", 1)[-1]  # PyTorch writes torch.float32.
    if dtype is None or name not in TYPES:
        raise InputError(f"{position} is {type(value).__name__ if dtype is None else name}, which has no equivalent: expected an array or "
                         f"a scalar of NumPy, CuPy or PyTorch, of one of the types {', '.join(TYPES)}")
    return TYPES[name]


def is_scalar(value: Any) -> bool:
    """Whether the kernel gets this by value."""
    return getattr(value, "shape", None) == () and not hasattr(value, "data_ptr")


def element_count(value: Any) -> int:
    """The number of elements of an array."""
    count = 1
    for extent in value.shape:
        count *= int(extent)
    return count


def signature(source: str, kernel_name: str) -> list[str] | None:
    """The declarations of a kernel's parameters. None if they are not found in the text."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    name = re.escape(kernel_name.split("<")[0].strip())
    found = re.search(rf"__global__[^;{{}}]*?\b{name}\s*\(([^{{;]*?)\)\s*\{{", plain, re.S)
    if found is None:
        return None
    text = found.group(1).strip()
    return [one.strip() for one in text.split(",")] if text else []


def _kind(declared: str | None, has_answer: bool | None) -> str:
    """`in` or `inout`. If the call has answers, an argument without one is an input. Otherwise a pointer to constant data is an input."""
    if has_answer is not None:
        return "inout" if has_answer else "in"
    is_constant = declared is not None and re.match(r"(const\b.*|[^*]*\bconst\b\s*)\*", declared, re.S) is not None
    return "in" if is_constant else "inout"


def described(values: Sequence[Any], source: str | None, kernel_name: str, answer: Sequence[Any] | None) -> list[Argument]:
    """The arguments in the order of the kernel's parameters.

    Their names are `a0`, `a1`, ... Raises `InputError` for a value that a kernel cannot get.
    """
    if not isinstance(values, (list, tuple)):
        raise InputError("arguments= must be a list")
    if answer is not None and len(answer) != len(values):
        raise InputError(f"answer= has {len(answer)} entries and arguments= has {len(values)}: expected as many")
    has_answers = answer is not None and any(one is not None for one in answer)
    declared = None if source is None else signature(source, kernel_name)
    if declared is not None and len(declared) != len(values):
        raise InputError(f"{kernel_name} has {len(declared)} parameters, and arguments= has {len(values)}")
    listed = []
    for at, value in enumerate(values):
        answered = answer[at] is not None if answer is not None and has_answers else None
        kind = "scalar" if is_scalar(value) else _kind(declared[at] if declared else None, answered)
        listed.append(Argument(f"a{at}", kind, type_name(value, f"argument {at}"), value))
    return listed


def constants(cmem_args: dict[str, Any] | None) -> list[Argument]:
    """The contents of `__constant__` variables."""
    listed = []
    for symbol, value in (cmem_args or {}).items():
        listed.append(Argument(f"constant_{symbol}", "in", type_name(value, f"cmem_args[{symbol!r}]"), value, symbol))
    return listed
