"""The interface of Kernel Tuner: `from warptune.compat import kernel_tuner`.

    from warptune.compat.kernel_tuner import tune_kernel

    results, env = tune_kernel("vector_add", source, size, arguments, tune_params)

docs/python-kernel-tuner.md says what becomes of each argument. What has no equivalent is refused by its name with an `InputError`.
"""

from .integration import create_device_targets, store_results
from .interface import run_kernel, tune_cache, tune_kernel
from .kernelbuilder import PythonKernel

__all__ = ["PythonKernel", "create_device_targets", "run_kernel", "store_results", "tune_cache", "tune_kernel"]
