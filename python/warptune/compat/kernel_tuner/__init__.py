"""The interface of Kernel Tuner: `from warptune.compat import kernel_tuner`.

    from warptune.compat.kernel_tuner import tune_kernel

    results, env = tune_kernel("vector_add", source, size, arguments, tune_params)

docs/python-kernel-tuner.md says how each argument is translated. Anything without an equivalent raises an `InputError` that names it.
"""

from . import strategies
from .integration import create_device_targets, store_results
from .interface import run_kernel, tune_cache, tune_kernel, tune_kernel_T1
from .kernelbuilder import PythonKernel

__version__ = "1.5.0"
"""The version of Kernel Tuner whose interface this is."""

__all__ = ["PythonKernel", "__version__", "create_device_targets", "run_kernel", "store_results", "strategies", "tune_cache", "tune_kernel",
           "tune_kernel_T1"]
