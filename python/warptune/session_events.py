"""What a running session reports: progress and warnings."""

import importlib
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from . import _native
from ._errors import InputError
from ._values import Configuration


class TuningWarning(UserWarning):
    """A request was fulfilled only in part, or something looks strange."""


@dataclass(frozen=True)
class Progress:
    """The progress of a running session."""

    evaluated: int
    """Configurations that this session has evaluated."""
    known_before: int
    """Configurations that earlier sessions have measured."""
    space_size: int
    elapsed_s: float
    done_share: float | None
    """The finished share of the budget or of the space, whichever is larger."""
    best: Configuration | None
    best_median_ns: float | None
    by_status: dict[str, int]
    """How many evaluations ended with each status."""

    def __str__(self) -> str:
        best = "nothing measured yet" if self.best_median_ns is None else f"best {self.best_median_ns / 1e3:.2f} us"
        return f"{self.evaluated} evaluated in {self.elapsed_s:.1f} s, {best}"

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.progress(self)


Listener = Callable[[Progress], object]
"""A listener that also has a method `session_began` gets the session's id and its workload before anything is measured."""


def progress_of(event: dict[str, Any]) -> Progress:
    best = event["best"] or {"configuration": None, "median_ns": None}
    return Progress(event["evaluated"], event["known_before"], event["space_size"], event["elapsed_s"], event["done_share"],
                    best["configuration"], best["median_ns"], event["by_status"])


def warning_of(event: dict[str, Any]) -> str | None:
    """The text of the warning for an event. None if the event needs no warning."""
    name = event["event"]
    if name == "warning":
        return str(event["message"])
    if name in ("replayed_instead", "recording_shown_instead"):
        return f"{event['reason']}; the shipped recording {event['recording']} answers instead: nothing is measured"
    if name == "stored_shown_instead":
        return f"this machine has no {event['gpu_name']}: stored measurements are shown"
    if name == "work_doubted":
        return str(event["work_doubt"]["message"])
    if name == "finalist_imprecise":
        return f"the results of {event['finalist']['configuration']} are much less precise than those of other finalists"
    return None


class ProgressLine:
    """Shows the progress as one line of a terminal, which is overwritten each time."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        done = "" if progress.done_share is None else f"{progress.done_share:4.0%}, "
        line = f"{done}{progress}"
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def end(self) -> None:
        if self._width:
            self._stream.write("\n")


class NotebookProgress:
    """Shows the progress as one output of a notebook's cell, which changes until the session ends."""

    def __init__(self) -> None:
        self._display: Any = importlib.import_module("IPython.display").display
        self._shown: Any = None

    def __call__(self, progress: Progress) -> None:
        if self._shown is None:
            self._shown = self._display(progress, display_id=True)
        else:
            self._shown.update(progress)

    def end(self) -> None:
        """Does nothing: the last progress stays visible."""


def is_notebook() -> bool:
    """Whether a kernel of Jupyter runs this code. IPython on a terminal has no kernel."""
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class EventHandler:
    """Receives the events of a session. `progress` is called with each `Progress`. True shows a bar in a notebook, and elsewhere a line
    on standard error."""

    def __init__(self, progress: "Listener | bool | None" = None) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise InputError(f"progress={progress!r}: expected a function of Progress objects, True or False")
        self._line = None if progress is not True else NotebookProgress() if is_notebook() else ProgressLine(sys.stderr)
        self._listener: Listener | None = self._line or (progress if callable(progress) else None)

    def __call__(self, line: str) -> None:
        event = json.loads(line)
        if event["event"] == "progress":
            if self._listener is not None:
                self._listener(progress_of(event))
            return
        if event["event"] == "session_began":
            began: Callable[[int, dict[str, Any]], object] | None = getattr(self._listener, "session_began", None)
            if began is not None:
                began(event["session_id"], event["workload"])
            return
        message = warning_of(event)
        if message is not None:
            warnings.warn(_native.printable(_native.in_python(message)), TuningWarning, stacklevel=3)  # It may quote files.

    def end(self) -> None:
        """Must be called after the session, even if it failed."""
        if self._line is not None:
            self._line.end()
