"""`BenchmarkObserver` by the path that it has in Kernel Tuner."""

from . import BenchmarkObserver

__all__ = ["BenchmarkObserver"]
