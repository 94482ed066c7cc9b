"""`searchspace` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("searchspace", "Kernel.space has the configurations, and says how many there are")
