"""What kernels that were loaded need from the interpreter: a view in notebooks, and an exit that waits for compilations."""

from . import _native


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
