"""`energy` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("energy", "warptune does not change the clocks of a GPU; tune with Kernel.tune(objective=\"energy\")")
