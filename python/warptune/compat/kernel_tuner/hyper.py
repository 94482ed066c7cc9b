"""`hyper` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("hyper", "warptune's strategies need no tuning of their own")
