"""`NVMLObserver` by the path that it has in Kernel Tuner."""

from . import NVMLObserver

__all__ = ["NVMLObserver"]
