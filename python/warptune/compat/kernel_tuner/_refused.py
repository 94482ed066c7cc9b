"""What a program may import of Kernel Tuner and warptune does not have: it is refused by its name, with the reason."""

from collections.abc import Callable
from typing import Any

from ..._errors import InputError


def refusing(module: str, why: str) -> Callable[[str], Any]:
    """A module's `__getattr__`. Raises `InputError` for whatever is asked of the module."""
    def refuse(name: str) -> Any:
        if name.startswith("__"):  # Python itself asks for these.
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise InputError(f"{module}.{name} has no equivalent: {why}")
    return refuse
