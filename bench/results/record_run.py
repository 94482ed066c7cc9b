#!/usr/bin/env python3
"""Reads the rows of a topic from the output of a script or program, and writes the topic's file with them.

    bench/results/record_run.py TOPIC --command COMMAND [--machine NAME] [--commit COMMIT] [--output FILE] PRINTED...

TOPIC      PRINTED
libraries  vendor.md of scripts/gpu-vendor
tuning     tune-KERNEL.txt of scripts/gpu-results
start      what bench/start_times.py printed; the last program counts
answers    what bench/answers.py printed; the last program counts
python     the .txt files of scripts/gpu-python, and what the programs of bench/kernel_tuner_compat printed

Rows that the run does not have stay as they are. The machine is one of page.toml. The commit is HEAD's unless it is
given. Without --output the file of bench/results/ is replaced; render.py writes the pages from it.
"""

import argparse
import datetime
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import topics  # noqa: E402
import writing  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSION = re.compile(r"(.*) on .*\n(\d+) configurations evaluated in ([\d.]+) s(?:, \d+ known (?:before|from earlier sessions))?, of (\d+) in the space")
SPREAD = r"([\d.]+) \(([\d.]+) to ([\d.]+)\)"
SPREAD_MS = r"([\d.]+) ms \(([\d.]+) to ([\d.]+)\)"


def cell_of(text):
    """A median with its range as three numbers, anything else as it is."""
    found = re.fullmatch(SPREAD, text.strip())
    return list(found.groups()) if found else text.strip()


def library_rows(texts, _):
    for line in "\n".join(texts).splitlines():
        cells = [cell_of(cell) for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("| ") or len(cells) != 11 or cells[0] == "kernel":
            continue
        kernel, problem, best, rate, roof, default, call, time, ratio, goal, met = cells
        library = call if call == "own default" else call.split(" ")[0]
        yield [kernel, problem, best, roof, rate, default, library, call, time, ratio, goal, met]


def tuning_rows(texts, _):
    for text in texts:
        head = SESSION.match(text)
        table = {cells[0]: cells[1:] for line in text.splitlines() if len(cells := re.split(r"  +", line.strip())) == 3}
        if not head:
            raise SystemExit(f"no session of `tune` begins with {text[:80]!r}")
        subject, evaluated, seconds, size = head.groups()
        rate = float(evaluated) / float(seconds)
        yield [subject, *table["time (median)"], table["speed-up"][1], table["of the roof"][1],
               f"{evaluated} of {size} in {seconds} s ({rate:.0f}/s)"]


def start_rows(texts, topic):
    asked = {tuple(row["cells"][:2]): row["cells"][3] for row in topic["rows"]}
    found = {}
    line = re.compile(rf"^ +(\S+) +(first measurement|whole session), (empty home|GPU known) +({SPREAD})", re.MULTILINE)
    for kernel, what, home, spread, *_ in line.findall("\n".join(texts)):
        found.setdefault((kernel, home.removesuffix(" home")), {})[what] = cell_of(spread)
    for key, values in found.items():
        yield [*key, values["first measurement"], asked.get(key, ""), values["whole session"]]


def answer_rows(texts, _):
    names = {"1000 rows": "a small database", "1000000 rows": "a million rows"}
    commands = {"explain": "`explain --no-measure`", "query --objective": "`query --objective` of a product with a counter",
                "Pareto front": "`query` of a Pareto front"}
    recorded = {"recording": "`explain` of a recording of `sgemm`, once compiled", "empty cache": "the same, with an empty compile cache"}
    found = {}
    for command, rows, spread, *_ in re.findall(rf"^ +(\w[\w -]*), (\w+(?: \w+)?) +CPU +({SPREAD})", "\n".join(texts), re.MULTILINE):
        name = f"{commands.get(command, f'`{command}`')}, {names.get(rows, rows)}"
        found[recorded.get(rows, name)] = cell_of(spread)
    yield from ([name, spread] for name, spread in found.items())


# What programs of the topic python print, the row that it becomes, and the goal of the row.
PYTHON_ROWS = (
    (r"^(\d+) lines, \{", "lines from nothing to a tuned kernel that is called on a tensor", "at most 12"),
    (rf"^import warptune, wall time +{SPREAD_MS}", "`import warptune`, wall time, ms", "50"),
    (rf"^import warptune, CPU time +{SPREAD_MS}", "`import warptune`, CPU time, ms", ""),
    (r"^fn\(tensors\) .* ([\d.]+)x$", "host time of `fn(tensors)` over CuPy's `RawKernel`", "at most 1.0"),
    (r"^fn\(tensors, scalars\) .* ([\d.]+)x$", "host time of `fn(tensors, scalars)` over CuPy's `RawKernel`", "at most 1.0"),
    (r"^fn\(arrays\) .* ([\d.]+)x$", "host time of `fn(arrays)` over CuPy's `RawKernel`", "at most 1.0"),
    (r"^median of the pairs' ratios: ([\d.]+)$", "configurations a second through Python over the command line", "at least 0.98"),
    (r"^((?:\d+ (?:broken|failed|needs|ran|refused|unfinished)(?:, |$))+)", "Kernel Tuner's CUDA examples, by the changed import",
     "all that need no OpenCL, HIP, Fortran or C"),
    (r"^within 2 %: warptune / Kernel Tuner (= |< )([\d.]+)$", "wall time to within 2 % of the best, over Kernel Tuner's", "at most 0.2"),
)


def python_rows(texts, _):
    for pattern, name, goal in PYTHON_ROWS:
        found = re.search(pattern, "\n".join(texts), re.MULTILINE)
        if found:
            bounds = {"= ": "", "< ": "below "}  # A ratio is a bound if a tuner did not end in time.
            yield [name, list(found.groups()) if len(found.groups()) == 3 else "".join(bounds.get(one, one) for one in found.groups()), goal]


# How a topic's rows are read, and how many of the first cells say which row it is.
READERS = {"libraries": (library_rows, 2), "tuning": (tuning_rows, 1), "start": (start_rows, 2), "answers": (answer_rows, 1),
           "python": (python_rows, 1)}


def head_commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def recorded(name, topic, texts, source):
    """The topic with the rows that `texts` have. Exits if they have none."""
    read, keys = READERS[name]
    rows = list(read(texts, topic))
    if not rows:
        raise SystemExit(f"nothing of {name} was printed")
    return writing.with_run(topic, "run", source, rows, keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topic", choices=READERS)
    parser.add_argument("printed", nargs="+", type=pathlib.Path)
    parser.add_argument("--command", required=True)
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--commit", default=head_commit())
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    date = topics.date_of_commit(ROOT, options.commit) or datetime.date.today()
    source = {"command": options.command, "commit": options.commit, "date": date, "machine": options.machine}
    path = ROOT / topics.FOLDER / f"{options.topic}.toml"
    texts = [printed.read_text() for printed in options.printed]
    writing.write_topic(options.output or path, recorded(options.topic, topics.read_topic(path), texts, source))


if __name__ == "__main__":
    main()
