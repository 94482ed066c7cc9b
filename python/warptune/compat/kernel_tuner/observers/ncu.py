"""`NCUObserver` by the path that it has in Kernel Tuner."""

from . import NCUObserver

__all__ = ["NCUObserver"]
