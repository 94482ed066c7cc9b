"""`RegisterObserver` by the path that it has in Kernel Tuner."""

from . import RegisterObserver

__all__ = ["RegisterObserver"]
