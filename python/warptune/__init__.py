"""Finds the fastest correct configuration of a CUDA kernel, remembers it, and says why it is the fastest.

    import warptune

    kernel = warptune.Kernel("k.cu")
    result = kernel.tune(N=4096, budget="30s")
    print(result.best.configuration, result.best.median_ns)

Times are in nanoseconds unless a name says otherwise. Names that end in `_share` are parts of a whole, where 1 is the whole. Every
error is one of `InputError`, `WorkError`, `MachineError` and `InternalError`.
"""

import os

from . import _native
from ._errors import Error, InputError, InternalError, MachineError, WorkError
from ._native import LoadedArgument, LoadedKernel
from .kernel import Kernel
from .results import CheckReport, Explanation, Finding, Match, Measurement, Plot, Problem, Profile, TuningResult
from .rows import Rows
from .session_events import Progress, TuningWarning
from .space import Space

__version__: str = _native.version

_native.set_worker_program(os.path.join(os.path.dirname(__file__), "bin", "warptune"))


def shipped_kernels() -> list[str]:
    """The names of the kernels that come with warptune, sorted."""
    return _native.shipped_kernels()


__all__ = [
    "CheckReport", "Error", "Explanation", "Finding", "InputError", "InternalError", "Kernel", "LoadedArgument", "LoadedKernel",
    "MachineError", "Match", "Measurement", "Plot", "Problem", "Profile", "Progress", "Rows", "Space", "TuningResult",
    "TuningWarning", "WorkError", "shipped_kernels",
]
