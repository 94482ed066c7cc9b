"""Writes a made-up survey in warptune's own format (docs/survey.md), of the requested size. It is the same each time."""

import json
import random
import subprocess

KERNELS = 40


class Table:
    """A table of a survey's file: columns of integers."""

    def __init__(self, *columns):
        self.columns = {name: [] for name in columns}

    def add(self, *row):
        for column, value in zip(self.columns.values(), row):
            column.append(value)

    def in_order(self):
        """Sorts the rows by their start. Returns where each row went."""
        places = sorted(range(len(self.columns["start"])), key=self.columns["start"].__getitem__)
        for name, column in self.columns.items():
            self.columns[name] = [column[place] for place in places]
        moved = [0] * len(places)
        for new, old in enumerate(places):
            moved[old] = new
        return moved

    def stored(self):
        """The columns as they are in a file: starts and calls are differences."""
        return {name: differences(column) if name in ("start", "call") else column for name, column in self.columns.items()}


def differences(numbers):
    return [number - before for number, before in zip(numbers, [0, *numbers])]


def write(path, launches, names=None, threads=4, change=None):
    """`change` may change the survey before it is written. Each of the threads, of two processes, launches kernels in its own stream, copies and marks ranges."""
    chance = random.Random(1)
    names = names or [f"void at::native::elementwise_kernel<{1 << i % 4}, at::native::Functor{i}<float>>(int, float)" for i in range(KERNELS)]
    first = len(names)
    names = [*names, "cudaLaunchKernel", "cudaMemcpyAsync", "step", "layer"]
    shapes = Table("name", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers", "static_shared")
    for i in range(first):
        shapes.add(i, 64 * (i + 1), 1 + i % 3, 1, 128 << i % 3, 1, 1, 16 + 4 * i % 200, 1024 * (i % 4))
    run, copies = Table("start", "duration", "stream", "call", "shape"), Table(
        "start", "duration", "stream", "call", "bytes", "direction", "source", "destination", "asynchronous")
    calls, ranges = Table("start", "duration", "process", "thread", "name", "kind"), Table("start", "duration", "process", "thread", "name")
    free, busy, opened = [0] * threads, [0] * threads, {}

    def work(thread, name, kind, call_ns, work_ns):
        start = free[thread] + int(2500 * chance.lognormvariate(0, 0.1))
        end = start + int(call_ns * chance.lognormvariate(0, 0.1))
        calls.add(start, end - start, thread * 2 // threads, 4000 + thread, name, kind)
        begin = max(busy[thread], end + 1500)
        busy[thread] = begin + int(work_ns * chance.lognormvariate(0, 0.1))
        free[thread] = max(end, busy[thread] - 2_000_000)
        return begin, busy[thread] - begin, len(calls.columns["start"]) - 1

    for i in range(launches):
        thread, nth = i % threads, i // threads
        for depth, length in ((0, 400), (1, 20)):
            if nth % length == 0:
                if (thread, depth) in opened:
                    row = opened[thread, depth]
                    ranges.columns["duration"][row] = free[thread] - ranges.columns["start"][row]
                opened[thread, depth] = len(ranges.columns["start"])
                ranges.add(free[thread] + 1 + depth, 1, thread * 2 // threads, 4000 + thread, first + 2 + depth)
        kernel = nth * 7 % first
        begin, duration, call = work(thread, first, 0, 4500, 3000 + 900 * (kernel % KERNELS))
        run.add(begin, duration, thread, call, kernel)
        if nth % 40 == 39:
            begin, duration, call = work(thread, first + 1, 2, 6000, 40000)
            copies.add(begin, duration, thread, call, 2 << 20, 1, 2, 3, 1)
    for (thread, _), row in opened.items():
        ranges.columns["duration"][row] = max(1, free[thread] - ranges.columns["start"][row])
    moved = calls.in_order()
    for table in (run, copies):
        table.columns["call"] = [moved[call] for call in table.columns["call"]]
        table.in_order()
    ranges.in_order()
    end = max(busy) + 1_000_000
    streams = {"process": [i * 2 // threads for i in range(threads)], "device": [0] * threads, "context": [1] * threads,
               "number": [7 + i for i in range(threads)]}
    survey = {
        "format": "warptune-survey-file", "version": 1,
        "run": {"command": ["python", "train.py", "--epochs", "2"], "duration_ns": end, "exit_code": 0, "window": [0, end],
                "host_system": "Linux 6.8 x86_64", "started_ms": 1_700_000_000_000, "warptune_version": "1.0"},
        "names": names,
        "devices": [{"uuid": "GPU-0", "name": "NVIDIA H200", "compute_major": 9, "sm_count": 132}],
        "processes": [{"pid": 4000 + i, "command": "python train.py --epochs 2", "time": [0, end]} for i in range(2)],
        "streams": streams, "shapes": shapes.columns, "launches": run.stored(), "copies": copies.stored(), "calls": calls.stored(),
        "ranges": ranges.stored(),
    }
    if change:
        change(survey)
    text = json.dumps(survey, separators=(",", ":")).encode()
    subprocess.run(["zstd", "-q", "-f", "-o", str(path)], input=text, check=True)
