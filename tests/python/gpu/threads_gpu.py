"""Threads that tune at the same time take turns on the GPU."""

import threading

from gpu_kernels import saxpy


def test_threads_that_tune_take_turns(tmp_path):
    results = {}

    def tune(name):
        results[name] = saxpy(name=name).tune(budget=6, db=tmp_path / "a.db")

    threads = [threading.Thread(target=tune, args=(f"turn_{number}",)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    times = [result.results().values("time_stamp_ms") for result in results.values()]
    spans = sorted((min(stamps), max(stamps)) for stamps in times)
    assert len(spans) == 3 and spans[0][1] <= spans[1][0] and spans[1][1] <= spans[2][0], spans
