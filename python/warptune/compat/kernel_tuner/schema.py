"""`schema` of Kernel Tuner has no equivalent."""

from ._refused import refusing

__getattr__ = refusing("schema", "the JSON files of Kernel Tuner are described there; file_utils writes such files")
