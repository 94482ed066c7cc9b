"""`core` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("core", "run_kernel launches one configuration, and PythonKernel is one as a function")
