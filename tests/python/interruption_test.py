"""Ctrl-C while a session runs."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import warptune

FAKE = os.environ["WARPTUNE_FAKE_GPU_WORKER"]
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


def checked() -> warptune.Kernel:
    return warptune.Kernel(
        name="checked", entry="checked", problem={"N": 1024}, parameters={"A": [1, 2]}, default={"A": 1}, trust=True,
        source='extern "C" __global__ void checked(float* x) { x[blockIdx.x * 32 + threadIdx.x] *= 2.0f; }\n',
        launch={"grid": ["ceil_div(N, 32)"], "block": ["32"]},
        arguments=[{"name": "x", "kind": "inout", "type": "f32", "count": "N"}],
        check={"reference": "expression", "expression": "2.0f * x[i]"}, work={"bytes": "8 * N"})


@pytest.mark.parametrize("stage", ["COMPILE", "EMULATION"])
def test_control_c_ends_a_check_while_a_worker_hangs(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    monkeypatch.setenv("WARPTUNE_WORKER", FAKE)
    monkeypatch.setenv(f"WARPTUNE_FAKE_{stage}_HANGS", "1")
    pressed = []

    def interrupt() -> None:
        time.sleep(2)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        checked().check()
    assert time.monotonic() - pressed[0] < 10.0  # The worker hangs for ever, and its limit is far longer.
    thread.join()
