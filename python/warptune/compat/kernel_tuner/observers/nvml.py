"""`NVMLObserver` by the path that it has in Kernel Tuner."""

from .._refused import refusing
from . import NVMLObserver

__getattr__ = refusing("observers.nvml", "warptune does not change the clocks or the power limit of a GPU")

__all__ = ["NVMLObserver"]
