"""Runs programs with and without a survey: `measure.py BENCH_SURVEY_RUN OUT PART...`. scripts/gpu-survey says what it prints."""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TIMED = ("few_long", "many_short", "several_streams", "graphs", "overlapped_copies")
COSTS = ("small_launches", "small_graphs", "large", "small")
# What is traced, to see what each part costs.
SETS = {
    "nothing": "none",
    "kernels": "kernels",
    "kernels, pinned": "kernels,pinned",
    "kernels, shared buffers": "kernels,shared_buffers",
    "runtime": "runtime",
    "driver": "driver",
    "kernels, runtime": "kernels,runtime",
    "kernels, driver": "kernels,driver",
    "kernels, both": "kernels,runtime,driver",
    "all": "kernels,copies,fills,ranges,runtime,driver,devices",
    "all, pinned": "kernels,copies,fills,ranges,runtime,driver,devices,pinned",
}


def find_nvcc():
    for place in (shutil.which("nvcc"), f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin/nvcc", "/usr/local/cuda/bin/nvcc"):
        if place and pathlib.Path(place).exists():
            return place
    sys.exit("measure.py: nvcc was not found; put it into PATH")


def command_of(name, programs):
    if name in ("large", "small"):
        return [sys.executable, str(HERE / "training_step.py"), name]
    return [str(programs), name]


def values_of(text):
    """The lines `NAME NUMBER` of an output."""
    return {match[1]: float(match[2]) for match in re.finditer(r"^(\w+) +(-?[\d.]+)", text, re.MULTILINE)}


class Runner:
    def __init__(self, survey, out, programs):
        self.survey = survey
        self.out = out
        self.programs = programs

    def run(self, name, surveyed, environment=None):
        """The numbers of one run: those that the program prints, those of the survey, and `total_ms`. None if it failed."""
        command = command_of(name, self.programs)
        if surveyed:
            command = [self.survey, "--", *command]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
        total = 1000 * (time.perf_counter() - start)
        text = f"{done.stdout}\n{done.stderr}"
        with open(self.out / "survey.log", "a") as log:
            log.write(f"== {' '.join(command)} {environment or ''}\n{text}\n")
        if done.returncode != 0 or (surveyed and not re.search(r"^end +exit 0$", text, re.MULTILINE)):
            print(f"FAILED {' '.join(command)}\n{text}")
            return None
        return {**values_of(text), "total_ms": total, "text": text}


def accuracy(runner):
    print("\nkernel time that the survey found, over that of the program's own events (ratio)")
    for name in TIMED:
        ratios = []
        for _ in range(3):
            found = runner.run(name, True)
            if not found:
                continue
            # The first launch of each program is a warm-up without events. It takes a few microseconds.
            ratios.append(found["kernel_ms"] / found["kernel_event_ms"])
            extra = f"  copies {found['copy_ms'] / found['copy_event_ms']:.5f}" if "copy_event_ms" in found else ""
        if ratios:
            print(f"{name:24} {'  '.join(f'{ratio:.5f}' for ratio in ratios)}{extra}")


def spread(ratios):
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.4f} ({low:.4f} to {high:.4f})"


def ratios_of(runner, name, runs, environment=None):
    """Ratios of `loop_ms` and of `total_ms`, and the last surveyed run."""
    loops, totals, last = [], [], None
    for _ in range(runs):
        without, surveyed = runner.run(name, False), runner.run(name, True, environment)
        if not without or not surveyed:
            return None
        loops.append(surveyed["loop_ms"] / without["loop_ms"])
        totals.append(surveyed["total_ms"] / without["total_ms"])
        last = (without, surveyed)
    return loops, totals, last


def cost(runner, runs):
    print(f"\ntime with a survey over that without, median and quartiles of {runs} pairs")
    print(f"{'program':24} {'work':32} {'whole process':32} launches without call, dropped")
    for name in COSTS:
        found = ratios_of(runner, name, runs)
        if not found:
            continue
        loops, totals, (without, surveyed) = found
        launches = re.search(r"^launches +(.*)$", surveyed["text"], re.MULTILINE)[1]
        dropped = re.search(r"dropped (\d+)", surveyed["text"])
        print(f"{name:24} {spread(loops):32} {spread(totals):32} {launches}, dropped {dropped[1] if dropped else '?'}")
        print(f"{'':24} without: loop {without['loop_ms']:.1f} ms, total {without['total_ms']:.0f} ms; "
              f"surveyed: loop {surveyed['loop_ms']:.1f} ms, total {surveyed['total_ms']:.0f} ms")


def parts(runner, runs):
    print(f"\ncost of each traced thing: time of the work with a survey over that without, {runs} pairs")
    for name in ("small_launches", "small"):
        for title, traced in SETS.items():
            found = ratios_of(runner, name, runs, {"WARPTUNE_SURVEY_TRACE": traced})
            if found:
                print(f"{name:16} {title:26} {spread(found[0]):32} whole {spread(found[1])}", flush=True)


def main():
    survey, out, *wanted = sys.argv[1:]
    out = pathlib.Path(out)
    runs = int(os.environ.get("WARPTUNE_SURVEY_RUNS", "7"))
    programs = out / "programs"
    subprocess.run([find_nvcc(), "-O3", "-std=c++17", "-arch=native", "-o", programs, HERE / "programs.cu"], check=True)
    runner = Runner(survey, out, programs)
    if "accuracy" in wanted:
        accuracy(runner)
    if "cost" in wanted:
        cost(runner, runs)
    if "parts" in wanted:
        parts(runner, max(3, runs // 2))


main()
