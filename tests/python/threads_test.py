"""Threads that tune at the same time take turns on the GPU, which is a fake worker. Each evaluation takes half a second."""

import itertools
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import warptune

FAKE = os.environ["WARPTUNE_FAKE_GPU_WORKER"]


@pytest.fixture(autouse=True)
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPTUNE_WORKER", FAKE)


def crawling(name: str, count: int) -> warptune.Kernel:
    return warptune.Kernel(
        name=name, entry="toy", problem={"N": 1024}, parameters={"DO": ["crawl"], "A": list(range(count))}, default={"DO": "crawl", "A": 0},
        source=f'#define {name}\nextern "C" __global__ void toy(float* x) {{ x[blockIdx.x * 32 + threadIdx.x] *= 2.0f; }}\n',
        launch={"grid": ["ceil_div(N, 32)"], "block": ["32"]},
        arguments=[{"name": "x", "kind": "inout", "type": "f32", "count": "N"}], work={"bytes": "8 * N"})


class Tuning(threading.Thread):
    """A session in a thread. Sets `begun` when it has measured something."""

    def __init__(self, kernel: warptune.Kernel, db: Path) -> None:
        super().__init__()
        self.begun = threading.Event()
        self._kernel, self._db = kernel, db
        self.start()

    def run(self) -> None:
        self.result = self._kernel.tune(budget="all", db=self._db, metrics="none",
                                        progress=lambda told: self.begun.set() if told.evaluated > 0 else None)


def span(result: warptune.TuningResult) -> tuple[int, int]:
    """When the first and the last configuration were stored, in milliseconds."""
    times = [stamp for stamp in result.results().values("time_stamp_ms") if isinstance(stamp, int)]
    assert len(times) == result.evaluated
    return min(times), max(times)


def test_sessions_of_several_threads_come_one_after_the_other(tmp_path: Path) -> None:
    threads = [Tuning(crawling(name, 3), tmp_path / "a.db") for name in ("first", "second", "third")]
    for thread in threads:
        thread.join(60)
    spans = sorted(span(thread.result) for thread in threads)
    assert all(end < begin for (_, end), (begin, _) in itertools.pairwise(spans)), spans


def test_control_c_ends_a_session_that_waits_for_its_turn(tmp_path: Path) -> None:
    other = Tuning(crawling("other", 8), tmp_path / "a.db")
    assert other.begun.wait(30)
    pressed: list[float] = []

    def interrupt() -> None:
        time.sleep(1)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        crawling("waiting", 6).tune(budget="all", db=tmp_path / "b.db", metrics="none")
    assert time.monotonic() - pressed[0] < 3.0
    assert other.is_alive()
    assert not (tmp_path / "b.db").exists()  # It has launched and stored nothing.
    other.join(60)
    assert other.result.evaluated == 8


def test_a_session_within_a_session_does_not_wait_for_it(tmp_path: Path) -> None:
    inner: list[warptune.TuningResult] = []

    def begin(_: warptune.Progress) -> None:
        if not inner:
            inner.append(crawling("inner", 1).tune(budget="all", db=tmp_path / "a.db", metrics="none"))

    assert crawling("outer", 2).tune(budget="all", db=tmp_path / "a.db", metrics="none", progress=begin).evaluated == 2
    assert inner[0].evaluated == 1


def test_a_replay_waits_for_nobody(tmp_path: Path) -> None:
    other = Tuning(crawling("other", 6), tmp_path / "a.db")
    assert other.begun.wait(30)
    recording = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"
    warptune.Kernel("transpose").tune(budget=3, replay=recording, db=tmp_path / "b.db")
    assert other.is_alive()
    other.join(60)
