"""`utils` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("utils", "warptune translates no OpenACC directives; get_best_config and others are in kernel_tuner.util", is_package=True)
