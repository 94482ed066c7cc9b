#!/usr/bin/env python3
"""Runs programs that were written for Kernel Tuner with warptune instead: only their imports change.

    bench/kernel_tuner_compat/examples.py [OPTION...] FOLDER [NAME...]

FOLDER holds the programs, for example `examples` of Kernel Tuner's repository. It is copied into a temporary folder, and the copies are
changed. With NAMEs, only these programs run. Files test_*.py are run by pytest. The programs run one after the other, because their
measurements would disturb each other. Prints a row for each program, with the seconds that it took:

* `ran`: it ended, and the results of its calls have the shape that Kernel Tuner 1.5.0 gives them.
* `unfinished`: it was still measuring after its limit. The row says how many configurations were evaluated by then.
* `no time`: the total time had passed before this program began.
* `refused`: warptune has no equivalent for a call. The row has the sentence that says why.
* `needs`: this machine lacks a module.
* `broken`: the program itself fails, and not a call of warptune.
* `failed`: a call failed, or its results have another shape.

With --compare, each program that ran then also runs unchanged with Kernel Tuner, the quickest first, and the shapes of both results
are compared. Several of these may run at once (--jobs), because only the shapes count. The exit code is 1 if a program failed. Needs a
GPU, NumPy, and the package warptune.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

IMPORTS = (
    (r"^(\s*)import kernel_tuner as (\w+)", r"\1from warptune.compat import kernel_tuner as \2"),
    (r"^(\s*)import kernel_tuner\s*$", r"\1from warptune.compat import kernel_tuner"),
    (r"^(\s*)from kernel_tuner(\.[\w.]+)? import", r"\1from warptune.compat.kernel_tuner\2 import"))
TIMES = {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"}
PAUSE_S = 30
"""How long a program may take to end after Ctrl-C."""


def changed(text):
    """The program with its imports changed."""
    for before, after in IMPORTS:
        text = re.sub(before, after, text, flags=re.M)
    return text


def uses_kernel_tuner(text):
    return any(re.search(before, text, flags=re.M) for before, _ in IMPORTS)


def shape_of(results, env):
    """The entries of the results and of the environment, with the names of their types."""
    right = [one for one in results if "__error__" not in one]
    kinds = {}
    for one in right:
        for name, value in one.items():
            kinds.setdefault(name, set()).add("number" if isinstance(value, (int, float)) else type(value).__name__)
    return {"results": len(results), "right": len(right), "always": sorted(set.intersection(*(set(one) for one in right)) if right else []),
            "kinds": {name: sorted(held) for name, held in kinds.items()}, "env": sorted(env)}


def observed_names(observers):
    """The entries that observers add to the results, by the arguments with which the observers were made."""
    names = set()
    for one in observers or ():
        kind = type(one).__name__
        if kind == "RegisterObserver":
            names.add("num_regs")
        names.update(getattr(one, "observables", None) or () if kind == "NVMLObserver" else getattr(one, "metrics", None) or ())
    return names


def faults_of(results, env, tune_params, metrics=None, observers=None):
    """The differences from the form that results of Kernel Tuner 1.5.0 have."""
    faults = []
    if not isinstance(results, list) or not isinstance(env, dict):
        return ["the call does not return a list and a dictionary"]
    wanted = {*tune_params, *TIMES, "timestamp"}
    measured = {"time", "times", *(metrics or {}), *observed_names(observers)}
    for one in results:
        missing = (wanted if "__error__" in one else wanted | measured) - set(one)
        if missing:
            faults.append(f"a result lacks {', '.join(sorted(missing))}")
        if any(one[name] not in values for name, values in tune_params.items() if name in one):
            faults.append("a result has a value that no parameter has")
        if "__error__" in one and type(one["__error__"]).__name__ not in ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig"):
            faults.append(f"an error is {one['__error__']!r}")
        if "__error__" not in one and not (isinstance(one.get("time"), float) and isinstance(one.get("times"), list)):
            faults.append("time is no float, or times is no list")
    if results and "best_config" not in env:
        faults.append("the environment has no best_config")
    try:
        json.dumps(results)
    except (TypeError, ValueError) as error:
        faults.append(f"the results are no JSON: {error}")
    return sorted(set(faults))


def watched(report, *modules):
    """Replaces `tune_kernel` of the modules by a function that adds the shape of the results to `report`."""
    original = modules[0].tune_kernel

    def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **options):
        values = {name: list(held) for name, held in tune_params.items()}  # A program may change them later.
        answer = original(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **options)
        results, env = answer
        report["calls"].append({**shape_of(results, env), "faults": faults_of(results, env, values, options.get("metrics"),
                                                                               options.get("observers"))})
        return answer
    for module in modules:
        module.tune_kernel = tune_kernel


def run_program(program, out):
    """Runs one program in this process, and writes its outcome as JSON."""
    report = {"calls": [], "what": "ran", "why": "", "evaluated": 0}
    try:
        if "warptune.compat" in program.read_text(encoding="utf-8"):
            from warptune.compat import kernel_tuner as tuner
            from warptune.compat.kernel_tuner.tuning import Session
            told = Session.__call__

            def counted(session, progress):
                report["evaluated"] = max(report["evaluated"], progress.evaluated)
                told(session, progress)
            Session.__call__ = counted
        else:
            import kernel_tuner as tuner
        watched(report, tuner, tuner.interface)
        if program.name.startswith("test_"):
            import pytest
            code = pytest.main(["-q", "-p", "no:cacheprovider", program.name])
            if code == pytest.ExitCode.INTERRUPTED:
                raise KeyboardInterrupt
            if code != 0:
                report |= {"what": "failed", "why": f"pytest ends with {int(code)}"}
        else:
            sys.argv = [program.name]
            sys.path.insert(0, str(program.parent))
            runpy.run_path(program.name, run_name="__main__")
    except KeyboardInterrupt:
        report |= {"what": "unfinished", "why": f"{report['evaluated']} configurations were evaluated by then"}
    except BaseException as error:
        traceback.print_exc()
        sentence = str(error).strip().splitlines()
        report |= {"what": fault_of(error, program), "why": f"{type(error).__name__}: {sentence[0] if sentence else ''}"}
    faults = sorted({fault for call in report["calls"] for fault in call["faults"]})
    if faults and report["what"] in ("ran", "broken"):
        report |= {"what": "failed", "why": "; ".join(faults)}
    out.write_text(json.dumps(report), encoding="utf-8")


def fault_of(error, program):
    """Whose fault an exception is: the program's, if the program or a function that it gave to a call has raised it."""
    if isinstance(error, ModuleNotFoundError):
        return "refused" if (error.name or "").startswith("warptune") else "needs"
    if type(error).__name__ == "InputError":
        return "refused"
    package = str(pathlib.Path(sys.modules["warptune"].__file__).parent) if "warptune" in sys.modules else "?"
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    last = max((at for at, file in enumerate(files) if file.startswith(package)), default=-1)
    return "broken" if last < 0 or any(pathlib.Path(file).name == program.name for file in files[last + 1:]) else "failed"


def outcome(program, home, log, timeout_s):
    """The outcome of a program: a dictionary as `run_program` writes it, and the seconds that it took. Its output goes into `log`."""
    if timeout_s <= 0:
        return {"calls": [], "what": "no time", "why": "the total time has passed", "seconds": 0}
    home.mkdir(parents=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    out = home / "report.json"
    variables = {**os.environ, "XDG_DATA_HOME": str(home / "data"), "MPLBACKEND": "Agg"}
    start = time.monotonic()
    with open(log, "w", encoding="utf-8") as output:
        child = subprocess.Popen([sys.executable, __file__, "--run", str(program), str(out)], cwd=program.parent, env=variables,
                                 stdout=output, stderr=subprocess.STDOUT)
        try:
            child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(PAUSE_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
    seconds = time.monotonic() - start
    if out.exists():
        return {**json.loads(out.read_text(encoding="utf-8")), "seconds": seconds}
    last = [line for line in log.read_text(encoding="utf-8").splitlines() if line.strip()][-1:]
    what = "unfinished" if seconds >= timeout_s else "failed"
    return {"calls": [], "what": what, "why": f"it ended with {child.returncode}: {' '.join(last)}", "seconds": seconds}


def difference(ours, theirs):
    """How the shapes of the calls' results differ from those of Kernel Tuner. Empty text if they do not."""
    if theirs["what"] != "ran":
        return f"Kernel Tuner: {theirs['what']}, {theirs['why']}"
    if len(ours["calls"]) != len(theirs["calls"]):
        return f"{len(ours['calls'])} calls, and {len(theirs['calls'])} of Kernel Tuner's"
    parts = []
    for one, other in zip(ours["calls"], theirs["calls"], strict=True):
        lacking = sorted(set(other["always"]) - set(one["always"]))
        kinds = [name for name in other["always"] if name in one["kinds"] and one["kinds"][name] != other["kinds"][name]]
        env = sorted(name for name in other["env"] if name.startswith(("total_", "best_", "overhead", "device_name")) and name not in one["env"])
        parts += [f"lacks {name}" for name in lacking] + [f"another type of {name}" for name in kinds] + [f"env lacks {name}" for name in env]
    return "; ".join(dict.fromkeys(parts))


def counts_of(report):
    """How many results the calls of a program gave."""
    calls = report["calls"]
    if not calls:
        return ""
    results, right = (sum(call[name] for call in calls) for name in ("results", "right"))
    return f"{len(calls)} calls, {results} results" + (f", {results - right} of them errors" if results != right else "")


class Programs:
    """The programs of a folder, copied twice into another: with their imports changed, and unchanged."""

    def __init__(self, folder, into, choice):
        self._choice = choice
        self._into = into
        self._end = time.monotonic() + choice.total
        self._logs = choice.logs or into / "logs"
        limits = dict(limit.rsplit("=", 1) for limit in choice.limit)
        shutil.copytree(folder, into / "changed")
        shutil.copytree(folder, into / "unchanged")
        self.limits = {}
        for program in sorted((into / "changed").rglob("*.py")):
            text = program.read_text(encoding="utf-8")
            name = str(program.relative_to(into / "changed"))
            if uses_kernel_tuner(text) and (not choice.names or {name, program.name} & set(choice.names)):
                program.write_text(changed(text), encoding="utf-8")
                self.limits[name] = float(limits.get(name, limits.get(program.name, choice.timeout)))

    def run(self, name, kind):
        """The outcome of one program. `kind` is "changed" or "unchanged"."""
        return outcome(self._into / kind / name, self._into / "homes" / kind / name, self._logs / kind / f"{name}.txt",
                       min(self.limits[name], self._end - time.monotonic() - PAUSE_S / 3))


def print_row(name, what, seconds, why):
    print(f"{name:34} {what:10} {seconds:5.0f} s  {why}", flush=True)


def compare(programs, reports, jobs):
    """Runs the programs that ran with Kernel Tuner, too, and prints how the shapes of the results differ. Returns those that differ."""
    differing = []
    ran = sorted((name for name, report in reports.items() if report["what"] == "ran"), key=lambda name: reports[name]["seconds"])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(programs.run, name, "unchanged"): name for name in ran}
        for run in concurrent.futures.as_completed(runs):
            name, theirs = runs[run], run.result()
            differs = difference(reports[name], theirs)
            what = "same" if not differs else "unknown" if theirs["what"] != "ran" else "differs"
            differing += [name] if what == "differs" else []
            print_row(name, what, theirs["seconds"], differs or "as Kernel Tuner's")
    return differing


def main():
    if sys.argv[1:2] == ["--run"]:
        run_program(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
        return
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("names", nargs="*", help="only these programs")
    options.add_argument("--timeout", type=float, default=120, help="seconds for each program")
    options.add_argument("--limit", action="append", default=[], metavar="NAME=SECONDS", help="another limit for one program")
    options.add_argument("--total", type=float, default=float("inf"), help="seconds for all programs together")
    options.add_argument("--logs", type=lambda text: pathlib.Path(text).resolve(), help="folder for the programs' output")
    options.add_argument("--compare", action="store_true", help="also run the programs with Kernel Tuner, and compare the shapes")
    options.add_argument("--jobs", type=int, default=4, help="how many programs run at once with Kernel Tuner")
    choice = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(choice.folder, pathlib.Path(folder), choice)
        reports = {}
        for name in programs.limits:
            reports[name] = report = programs.run(name, "changed")
            print_row(name, report["what"], report["seconds"], report["why"] or counts_of(report))
        counts = {}
        for report in reports.values():
            counts[report["what"]] = counts.get(report["what"], 0) + 1
        print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "no program imports kernel_tuner", flush=True)
        differing = compare(programs, reports, choice.jobs) if choice.compare else []
    sys.exit(1 if counts.get("failed") or differing else 0)


if __name__ == "__main__":
    main()
