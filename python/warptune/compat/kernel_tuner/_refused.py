"""For modules of Kernel Tuner that warptune does not have. Using one raises an error that names it and says why."""

from collections.abc import Callable
from typing import Any

from ..._errors import InputError


def refusing(module: str, why: str) -> Callable[[str], Any]:
    """Makes a module's `__getattr__` that raises `InputError` for each name."""
    def refuse(name: str) -> Any:
        if name.startswith("__"):  # Python itself asks for these.
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise InputError(f"{module}.{name} has no equivalent: {why}")
    return refuse
