"""Types that several files share, and what loaded kernels need from the interpreter."""

import os
from collections.abc import Mapping

from . import _native

Value = bool | int | float | str
"""A value of a parameter or of a problem."""

Configuration = dict[str, Value]
"""A value for each parameter."""

Values = Mapping[str, Value]
StrPath = str | os.PathLike[str]


def path_text(path: StrPath | None) -> str | None:
    """A path as text, or None. A leading `~` becomes the home folder."""
    return None if path is None else os.path.expanduser(os.fspath(path))


def place_of(kernel: StrPath) -> str:
    """The name of a shipped kernel, or a path. That of an existing file is absolute, so a later `os.chdir` does not change the kernel."""
    place = os.path.expanduser(os.fspath(kernel))
    is_path = os.path.dirname(place) or os.path.splitext(place)[1]
    return os.path.abspath(place) if is_path and os.path.isfile(place) else place


def demanded(reproducible: str | bool | None) -> str | None:
    """What is demanded of outputs, as text. True means the bits of the default."""
    if isinstance(reproducible, bool):
        return "bits" if reproducible else None
    return reproducible


def _loaded_html(fn: _native.LoadedKernel) -> str:
    from . import notebook
    return notebook.loaded_kernel(fn)


_native.LoadedKernel._repr_html_ = _loaded_html  # type: ignore[attr-defined]


def wait_at_exit() -> None:
    """Makes the interpreter wait at its exit until compilations in the background have ended."""
    global _waits_at_exit
    if not _waits_at_exit:
        import atexit
        atexit.register(_native.finish_loading)
        _waits_at_exit = True


_waits_at_exit = False
