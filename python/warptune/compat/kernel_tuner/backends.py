"""`backends` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("backends", "warptune launches kernels in its workers; Kernel.load gives one for your program", is_package=True)
