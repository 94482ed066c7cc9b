"""For modules of Kernel Tuner that warptune does not have. Using one raises an error that names it and says why."""

from collections.abc import Callable
from typing import Any

from ..._errors import InputError


def refusing(module: str, why: str, is_package: bool = False) -> Callable[[str], Any]:
    """Makes a module's `__getattr__` that raises `InputError` for each name. With `is_package`, importing a module below raises it, too."""
    def refuse(name: str) -> Any:
        if is_package and name == "__path__":  # Python asks for it before it imports a name or a module of a package.
            raise InputError(f"{module} has no equivalent: {why}")
        if name.startswith("__"):  # Python itself asks for these.
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise InputError(f"{module}.{name} has no equivalent: {why}")
    return refuse
