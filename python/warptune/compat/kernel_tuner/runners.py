"""`runners` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("runners", "Kernel.tune runs every session, and tune_cache simulates one", is_package=True)
