"""`PythonKernel` has no equivalent."""

from typing import Any

from ..._errors import InputError


class PythonKernel:
    """Refused by its name, so that a program says why it ends."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise InputError("PythonKernel has no equivalent: use run_kernel, or load the tuned kernel with warptune")
