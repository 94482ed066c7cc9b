#!/usr/bin/env python3
"""What the recommended configuration of a shipped kernel loses at sizes at which nothing was measured.

    bench/sizes/recommended_losses.py [--seconds S] [--kernel NAME ...] PROGRAM

Asks for each size of bench/sizes/held_back. The database has no rows of these kernels, so the definition's recommendation answers.
Then tunes the size for S seconds, beginning with this configuration. Prints the time of the answer over that of the fastest
configuration, both from this one session: times of a few microseconds differ by several percent between sessions. Also prints the
geometric mean and the worst case of each kernel. Needs a GPU.
"""

import argparse
import pathlib
import tempfile

import new_sizes


def loss_at(tuner, kernel, size, without_rows, seconds):
    """The time of the answer over the best time, the best time in ns, and the tier of the answer. The ratio is None if the answer has
    no time."""
    tier, configuration, _ = tuner.answer(kernel, size, without_rows)
    with tempfile.TemporaryDirectory(dir=tuner.folder) as folder:
        rows = tuner.tune(kernel, size, pathlib.Path(folder) / "rows.db", f"{seconds:g}s", "--no-transfer")
    best = min(new_sizes.times_in(rows))
    time = new_sizes.time_of(rows, configuration)
    return time / best if time else None, best, tier


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--kernel", action="append", choices=sorted(new_sizes.held_back()))
    asked = parser.parse_args()
    every = []
    with tempfile.TemporaryDirectory() as folder:
        tuner = new_sizes.Tuner(asked.program, pathlib.Path(folder))
        without_rows = tuner.folder / "others.db"
        tuner.tune("vector_add", {"N": 1024}, without_rows, 1)
        for kernel, sizes in new_sizes.held_back().items():
            if asked.kernel and kernel not in asked.kernel:
                continue
            ratios = []
            for size in sizes:
                ratio, best, tier = loss_at(tuner, kernel, size, without_rows, asked.seconds)
                text = " ".join(f"{name}={value}" for name, value in size.items())
                times = f"{ratio:.3f}" if ratio else "not measured"
                print(f"{kernel:10} {text:28} {tier:13} {best / 1e3:9.2f} us; times of it: answer {times}", flush=True)
                if ratio:
                    ratios.append(ratio)
            every += ratios
            print(f"{kernel:10} {new_sizes.spread_of(ratios)}; {len(ratios)} of {len(sizes)} sizes", flush=True)
    print(f"all        {new_sizes.spread_of(every)}; {len(every)} sizes", flush=True)


if __name__ == "__main__":
    main()
