"""Types that several files share."""

import os
from collections.abc import Mapping

Value = bool | int | float | str
"""A value of a parameter or of a problem."""

Configuration = dict[str, Value]
"""A value for each parameter."""

Values = Mapping[str, Value]
StrPath = str | os.PathLike[str]


def path_text(path: StrPath | None) -> str | None:
    """A path as text, or None. A leading `~` becomes the home folder."""
    return None if path is None else os.path.expanduser(os.fspath(path))
