"""Ctrl-C while a session runs."""

import os
import signal
import threading
from pathlib import Path

import pytest

import warptune

RECORDING = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"


def test_control_c_keeps_what_is_measured_and_the_same_call_continues(tmp_path: Path) -> None:
    kernel = warptune.Kernel("transpose")
    db = tmp_path / "a.db"
    begun = threading.Event()

    def interrupt() -> None:  # Another thread can run because the interpreter is free, and the signal is noticed without an event.
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        kernel.tune(budget="all", replay=RECORDING, db=db, progress=lambda _: begun.set())
    thread.join()
    kept = len(kernel.results(db=db, gpu="H200"))
    assert kept > 0
    result = kernel.tune(budget=10, replay=RECORDING, db=db)
    assert len(kernel.results(db=db, gpu="H200")) == kept + 10
    assert result.document["known_before"] == kept
