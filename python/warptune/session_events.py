"""What a running session says: progress, and warnings."""

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from . import _native
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


Listener = Callable[[Progress], object]


def progress_of(event: dict[str, Any]) -> Progress:
    best = event["best"] or {"configuration": None, "median_ns": None}
    return Progress(event["evaluated"], event["known_before"], event["space_size"], event["elapsed_s"], event["done_share"],
                    best["configuration"], best["median_ns"], event["by_status"])


def warning_of(event: dict[str, Any]) -> str | None:
    """The sentence for an event that a person should look at."""
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
    """Shows the progress as one line that is written again and again, on a terminal and in a notebook."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        done = "" if progress.done_share is None else f"{progress.done_share:4.0%}, "
        best = "nothing measured yet" if progress.best_median_ns is None else f"best {progress.best_median_ns / 1e3:.2f} us"
        line = f"{done}{progress.evaluated} evaluated in {progress.elapsed_s:.1f} s, {best}"
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def end(self) -> None:
        if self._width:
            self._stream.write("\n")


class EventHandler:
    """Receives the events of a session. `progress` is called with each `Progress`; True shows a line on standard error."""

    def __init__(self, progress: "Listener | bool | None" = None) -> None:
        self._line = ProgressLine(sys.stderr) if progress is True else None
        self._listener: Listener | None = self._line or (progress if callable(progress) else None)

    def __call__(self, line: str) -> None:
        event = json.loads(line)
        if event["event"] == "progress":
            if self._listener is not None:
                self._listener(progress_of(event))
            return
        message = warning_of(event)
        if message is not None:
            warnings.warn(_native.printable(message), TuningWarning, stacklevel=3)  # Parts of it are from others.

    def end(self) -> None:
        """To be called after the session, also after one that failed."""
        if self._line is not None:
            self._line.end()
