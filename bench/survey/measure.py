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
COSTS = ("small_launches", "launches_of_2_us", "launches_of_4_us", "launches_of_8_us", "small_graphs", "large", "small")
ALL = "kernels,copies,fills,ranges,runtime,driver,devices"
# Settings of the injected library, to see what each part costs.
SETS = {
    "default": {},
    "nothing traced": {"WARPTUNE_SURVEY_TRACE": "none"},
    "kernels": {"WARPTUNE_SURVEY_TRACE": "kernels"},
    "kernels, runtime": {"WARPTUNE_SURVEY_TRACE": "kernels,runtime"},
    "kernels, driver": {"WARPTUNE_SURVEY_TRACE": "kernels,driver"},
    "pinned memory": {"WARPTUNE_SURVEY_TRACE": f"{ALL},pinned"},
    "shared buffers": {"WARPTUNE_SURVEY_TRACE": f"{ALL},shared_buffers"},
    "period 1 s": {"WARPTUNE_SURVEY_PERIOD_MS": "1000"},
    "period 50 ms": {"WARPTUNE_SURVEY_PERIOD_MS": "50"},
    "buffers of 256 KiB": {"WARPTUNE_SURVEY_BUFFER_KIB": "256"},
    "buffers of 4 MiB": {"WARPTUNE_SURVEY_BUFFER_KIB": "4096"},
    "buffers of 16 MiB": {"WARPTUNE_SURVEY_BUFFER_KIB": "16384"},
    "GPU buffers of 32 MB": {"WARPTUNE_SURVEY_DEVICE_BUFFER_KIB": "32000"},
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
    if len(ratios) == 1:
        return f"{ratios[0]:.4f} (one pair)"
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.4f} ({low:.4f} to {high:.4f})"


def print_ratios(name, title, pairs):
    """Prints the ratios of times with a survey to those without: of the work, and of the whole program from its start to its end."""
    if not pairs:
        return
    rounds = [surveyed["round_ms"] / without["round_ms"] for without, surveyed in pairs]
    programs = [surveyed["wall_ms"] / without["total_ms"] for without, surveyed in pairs]
    after = statistics.median(surveyed["total_ms"] - surveyed["wall_ms"] for _, surveyed in pairs)
    without, surveyed = pairs[-1]
    dropped = re.search(r"dropped (\d+)", surveyed["text"])
    unlinked = re.search(r"^launches .*without call (\d+)", surveyed["text"], re.MULTILINE)
    launched_by = re.search(r"^launched_by +(.*)$", surveyed["text"], re.MULTILINE)
    print(f"{name:16} {title:21} {spread(rounds)}  {spread(programs)}  {after:6.0f}  {without['round_ms']:7.1f} "
          f"{surveyed['launches']:8.0f} {dropped[1] if dropped else '?':>7} "
          f"{unlinked[1] if unlinked else '?':>8} {launched_by[1] if launched_by else '?'}", flush=True)


def print_title(runs):
    print(f"\ntime with a survey over that without: median and quartiles of {runs} pairs of runs. `reading` is what the survey takes\n"
          "before and after the program, in ms; `round` is the time of one round of work without a survey, in ms")
    print(f"{'program':16} {'settings':21} {'work':27}  {'whole program':27}  reading   round launches dropped unlinked launched by")


def compare(runner, names, sets, runs):
    for name in names:
        pairs = {title: [] for title in sets}
        for _ in range(runs):
            without = runner.run(name, False)
            for title in sets:
                surveyed = runner.run(name, True, SETS[title])
                if without and surveyed:
                    pairs[title].append((without, surveyed))
        for title, found in pairs.items():
            print_ratios(name, title, found)


def main():
    survey, out, *wanted = sys.argv[1:]
    out = pathlib.Path(out)
    runs = int(os.environ.get("WARPTUNE_SURVEY_RUNS", "7"))
    programs = out / "programs"
    subprocess.run([find_nvcc(), "-O3", "-std=c++17", "-arch=native", "-o", programs, HERE / "programs.cu"], check=True)
    runner = Runner(survey, out, programs)
    if "accuracy" in wanted:
        accuracy(runner)
    names = [name for part in wanted if part.startswith("cost") for name in (part.partition(":")[2].split(",") if ":" in part else COSTS)]
    if names or "parts" in wanted:
        print_title(runs)
    compare(runner, names, ["default"], runs)
    if "parts" in wanted:
        compare(runner, ["small_launches"], list(SETS), runs)


main()
