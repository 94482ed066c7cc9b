"""Arrays of the caller. A tuning uses them instead of the data and the check of the definition."""

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from . import _native
from ._errors import InputError

Arrays = Mapping[str, Any]
"""Arrays by the names of arguments: of PyTorch, CuPy or NumPy, or anything with DLPack or the buffer protocol."""

Reference = Callable[..., Any]
"""Called once with the arrays of `inputs`, in the order of the definition. Returns the right contents of the outputs."""

Check = Callable[[dict[str, memoryview]], "bool | str | None"]
"""Called with the outputs of a launch. None and True mean that they are right. A text says why not."""

FORMATS = {
    "f16": "H", "bf16": "H", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
    "u64": "Q"}
"""The memoryview format of each type of warptune. There is none for f16 and bf16: their 16 bits are shown as an integer."""

KINDS = {"f": "f", "i": "i", "u": "u"}
"""The letters of NumPy's types that arguments can have, and the letters of warptune's."""


def own_data(source: _native.KernelSource, inputs: Arrays | None, expected: Arrays | None, reference: Reference | None,
             check: Check | None) -> _native.OwnData | None:
    """Copies the arrays. Calls `reference`. Returns None if nothing is given."""
    given = [name for name, value in (("expected", expected), ("reference", reference), ("check", check)) if value is not None]
    if len(given) > 1:
        raise InputError(f"{given[0]}= and {given[1]}= exclude each other: one of them decides what is right")
    if inputs is None and not given:
        return None
    own = _native.OwnData()
    for name, array in (inputs or {}).items():
        add(own, name, False, array)
    if reference is not None:
        expected = referred(_native.buffers(source), inputs or {}, reference)
    for name, array in (expected or {}).items():
        add(own, name, True, array)
    return own


def referred(buffers: list[tuple[str, str]], inputs: Arrays, reference: Reference) -> Arrays:
    """Calls `reference`, and returns its arrays by the names of the outputs."""
    ordered = [inputs[name] for name, kind in buffers if name in inputs and kind != "out"]
    if len(ordered) != len(inputs):
        wrong = next(name for name in inputs if (name, "in") not in buffers and (name, "inout") not in buffers)
        raise InputError(f"the kernel has no input '{wrong}'")
    answer = reference(*ordered)
    if isinstance(answer, Mapping):
        return answer
    outputs = [name for name, kind in buffers if kind != "in"]
    arrays = answer if isinstance(answer, (tuple, list)) else (answer,)
    if len(arrays) != len(outputs):
        raise InputError(f"reference= returned {len(arrays)} arrays, but the kernel has {len(outputs)} outputs: {', '.join(outputs)}")
    return dict(zip(outputs, arrays, strict=True))


def _current_device_of(array: Any) -> AbstractContextManager[Any]:
    """PyTorch exports a tensor of a GPU only while that GPU is its current device."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor) or not array.is_cuda:
        return nullcontext()
    current: AbstractContextManager[Any] = torch.cuda.device(array.device)
    return current


def add(own: _native.OwnData, name: str, expected: bool, array: Any) -> None:
    """Copies one array."""
    if hasattr(array, "detach"):  # PyTorch does not export a tensor that requires a gradient.
        array = array.detach()
    kind = ""
    if str(getattr(array, "dtype", "")) == "bfloat16" and hasattr(array, "view"):  # NumPy and CuPy cannot export it by DLPack.
        array, kind = array.view("uint16"), "bf16"
    if hasattr(array, "exporting_obj") and not hasattr(array, "__dlpack__"):  # A view of cuda.core.
        return add_interface(own, name, expected, interface_of(array), array.device_id if array.is_device_accessible else None)
    for interface, device in (("__array_interface__", None), ("__cuda_array_interface__", 0)):
        if not hasattr(array, "__dlpack__") and hasattr(array, interface):
            return add_interface(own, name, expected, getattr(array, interface), device)
    with _current_device_of(array):
        own.add_array(name, expected, array, kind)


def interface_of(view: Any) -> dict[str, Any]:
    """A `StridedMemoryView` of cuda.core as a dictionary in the form of `__array_interface__`."""
    size = view.dtype.itemsize
    strides = None if view.strides is None else tuple(step * size for step in view.strides)
    return {"typestr": view.dtype.str, "shape": view.shape, "strides": strides, "data": (view.ptr, view.readonly)}


def add_interface(own: _native.OwnData, name: str, expected: bool, interface: dict[str, Any], device: int | None) -> None:
    """Copies the memory that an `__array_interface__` (or the same for CUDA) describes. The elements must lie one after the other."""
    typestr, shape, data = interface["typestr"], interface["shape"], interface.get("data")
    size = int(typestr[2:])
    kind = f"{KINDS.get(typestr[1], '?')}{size * 8}"
    if typestr[0] == ">" or kind not in FORMATS:
        raise InputError(f"argument '{name}': an argument cannot have elements of type {typestr}")
    steps: list[int] = []
    step = size
    for extent in reversed(shape):
        steps.insert(0, step)
        step *= extent
    if data is None or interface.get("strides") not in (None, tuple(steps)):
        raise InputError(f"argument '{name}': the elements of the array do not lie one after the other")
    own.add_memory(name, expected, kind, data[0], step, device)


def shown(kind: str, held: bytes) -> memoryview:
    """The elements of a result."""
    element: Any = FORMATS[kind]  # The type checker accepts only one literal text here.
    view: memoryview = memoryview(held).cast(element)
    return view


def checked_by(check: Check) -> Callable[[list[tuple[str, str, bytes]]], str | None]:
    """A check for the extension. Returns why the outputs are wrong, or None."""
    def ask(results: list[tuple[str, str, bytes]]) -> str | None:
        answer = check({name: shown(kind, held) for name, kind, held in results})
        if answer is None or answer is True:
            return None
        if isinstance(answer, str):
            return answer
        if answer is False:
            return ""
        try:  # A library's own boolean type, such as numpy.bool_.
            return None if bool(answer) else ""
        except Exception as error:
            raise TypeError(f"check= must return None, a bool or a str, found {type(answer).__name__}") from error
    return ask
