"""`utils` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("utils", "directives of OpenACC are not translated; get_best_config and others are in util", is_package=True)
