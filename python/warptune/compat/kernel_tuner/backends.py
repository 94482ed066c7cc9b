"""`backends` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("backends", "warptune launches kernels in its own worker processes; Kernel.load gives a kernel that your program calls", is_package=True)
