"""A kernel as an operator of PyTorch, which torch.compile understands. Only `Kernel.torch_operator` imports this file."""

import importlib
import keyword
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import InputError
from ._values import Value

if TYPE_CHECKING:
    from .kernel import Kernel

Sizes = Callable[..., Mapping[str, Value]]

_SCALARS = {**dict.fromkeys(("f16", "bf16", "f32", "f64"), "float"),
            **dict.fromkeys(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"), "int")}
_RESERVED = {"self", "out", "stream"}
_libraries: list[Any] = []
"""Kept until the process ends, because PyTorch removes an operator when the `Library` that registered it is destroyed."""


def _safe_name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in _RESERVED else name


def schema_of(arguments: Sequence[_native.LoadedArgument]) -> str:
    """The arguments as a schema of PyTorch's operators: buffers in order, then scalars that do not follow from the problem."""
    buffers = [one for one in arguments if one.kind != "scalar"]
    scalars = [one for one in arguments if one.kind == "scalar" and not one.is_fixed]
    parts = [f"Tensor {_safe_name(one.name)}" if one.kind == "in" else f"Tensor(a{at}!) {_safe_name(one.name)}"
             for at, one in enumerate(buffers)]
    if scalars:
        parts.append("*")
    parts += [f"{_SCALARS.get(one.dtype, 'Scalar')}? {_safe_name(one.name)}=None" for one in scalars]
    return f"({', '.join(parts)}) -> ()"


class Operator:
    """The implementation of the operator. It finds or loads the kernel for the problem of a call, and calls it."""

    def __init__(self, kernel: "Kernel", sizes: Sizes | None, options: Mapping[str, Any]) -> None:
        self.arguments = kernel.signature()
        self._kernel = kernel
        self._sizes = sizes
        self._options = options
        self._names = {_safe_name(one.name): one.name for one in self.arguments}
        self._first = next((f"argument {at + 1} (\"{one.name}\")" for at, one in enumerate(self.arguments) if one.kind != "scalar"), "")
        self._loaded: dict[object, _native.LoadedKernel] = {}
        self._loading = threading.Lock()

    def launch(self, *tensors: Any, **scalars: Any) -> None:
        placed = tensors[0].device
        if placed.type != "cuda":
            raise InputError(f"{self._kernel.name}: {self._first}: expected a tensor on a GPU, found one on {placed}")
        sizes = self._sizes(*tensors) if self._sizes is not None else {}
        device = placed.index
        key = (device, *sizes.items())
        loaded = self._loaded.get(key) or self._load(key, device, sizes)
        if scalars:
            loaded(*tensors, **{self._names[name]: value for name, value in scalars.items() if value is not None})
        else:
            loaded(*tensors)

    def _load(self, key: object, device: int, sizes: Mapping[str, Value]) -> _native.LoadedKernel:
        with self._loading:
            known = self._loaded.get(key)
            if known is None:
                known = self._loaded[key] = self._kernel.load(sizes, device=device, **self._options)
            return known


def register(kernel: "Kernel", name: str, sizes: Sizes | None, options: Mapping[str, Any]) -> Any:
    """Registers the operator, and returns it."""
    namespace, separator, operator_name = name.partition("::")
    if not separator or not namespace.isidentifier() or not operator_name.isidentifier():
        raise InputError(f"{name!r} is not the name of an operator: expected \"namespace::name\"")
    torch = importlib.import_module("torch")
    operator = Operator(kernel, sizes, options)
    if not any(one.kind in ("out", "inout") for one in operator.arguments):
        raise InputError(f"{kernel.name} has no output, so it cannot be an operator")
    written = [at for at, one in enumerate(one for one in operator.arguments if one.kind != "scalar") if one.kind != "in"]
    library = torch.library.Library(namespace, "FRAGMENT")
    library.define(operator_name + schema_of(operator.arguments))
    overload = getattr(getattr(torch.ops, namespace), operator_name).default

    def without_gradients(keys: Any, *tensors: Any, **scalars: Any) -> None:
        if torch.is_grad_enabled() and any(one.requires_grad for one in tensors):
            raise InputError(f"{name}: a tensor requires a gradient, and the kernel has no backward pass; call it under torch.no_grad()")
        with torch._C._AutoDispatchBelowAutograd():
            overload.redispatch(keys & torch._C._after_autograd_keyset, *tensors, **scalars)

    def noting_writes(keys: Any, *tensors: Any, **scalars: Any) -> None:  # Autograd must know that the outputs have changed.
        for at in written:
            torch.autograd.graph.increment_version(tensors[at])
        with torch._C._AutoDispatchBelowADInplaceOrView():
            overload.redispatch(keys & torch._C._after_ADInplaceOrView_keyset, *tensors, **scalars)

    library.impl(operator_name, operator.launch, "CUDA")
    library.impl(operator_name, operator.launch, "CPU")  # It refuses the tensors in one sentence.
    library.impl(operator_name, without_gradients, "Autograd", with_keyset=True)
    library.impl(operator_name, noting_writes, "ADInplaceOrView", with_keyset=True)
    torch.library.register_fake(name, lambda *tensors, **scalars: None, lib=library)
    _libraries.append(library)
    return overload
