"""The package as it is installed: what an import brings, the program, and the marks of a typed package."""

import importlib.resources
import resource
import subprocess
import sys
from pathlib import Path

import warptune


def run(code: str, *folders: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(folders)})


def test_an_import_brings_no_library_of_arrays(tmp_path: Path) -> None:
    for name in ("torch", "cupy", "numpy", "pyarrow", "pandas", "polars", "numba", "jax"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} is imported')")
    done = run("import warptune; print(warptune.__file__)", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent == Path(warptune.__file__).parent


def test_an_import_leaves_out_what_only_described_kernels_need() -> None:
    done = run("import sys, warptune; print(sorted({'ast', 'shutil', 'tempfile', 'warptune.definition'} & {*sys.modules} - {'ast'}))")
    assert done.stdout.strip() == "[]", done.stderr


def cpu_ms(code: str) -> float:
    """The CPU time of an interpreter that runs this code: the minimum of five runs, because other work only adds to it."""
    costs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run(code).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
    return min(costs)


def test_an_import_loads_few_modules() -> None:
    """The number does not depend on how busy the machine is. `dataclasses` alone brings half of the modules."""
    known = "atexit, dataclasses, json, os, pathlib, typing, warnings, weakref"
    done = run(f"import {known}, sys; before = {{*sys.modules}}; import warptune; print(*sorted({{*sys.modules}} - before))")
    own, others = [], []
    for name in done.stdout.split():
        (own if name.startswith("warptune") else others).append(name)
    assert len(own) <= 10 and not others, done.stdout + done.stderr


def test_an_import_takes_a_few_tens_of_milliseconds() -> None:
    """bench/python/import_time.py measures 29 ms of CPU time. A busy machine may take twice as long, and PyTorch takes seconds."""
    assert cpu_ms("import warptune") - cpu_ms("pass") < 100


def test_the_version_is_that_of_the_program() -> None:
    program = importlib.resources.files("warptune") / "bin" / "warptune"
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"warptune {warptune.__version__}"


def test_the_console_script_passes_arguments_and_the_exit_code_on() -> None:
    script = Path(sys.executable).parent / "warptune"
    done = subprocess.run([script, "space", "no_such_kernel"], capture_output=True, text=True, env={"HOME": "/"})
    assert done.returncode == 2
    assert "no_such_kernel" in done.stderr


def test_the_shipped_kernels_are_listed() -> None:
    kernels = warptune.shipped_kernels()
    assert "transpose" in kernels
    assert kernels == sorted(kernels)


def test_every_exported_name_exists_and_is_documented() -> None:
    for name in warptune.__all__:
        assert getattr(warptune, name).__doc__, name


def test_nvidias_wheels_beside_the_package_are_searched_first(tmp_path: Path) -> None:
    package = Path(warptune.__file__).parent
    (tmp_path / "warptune").mkdir()
    for part in ("bin", "share"):
        (tmp_path / "warptune" / part).symlink_to(package / part)
    copied = tmp_path / "warptune" / "bin2"
    copied.mkdir()
    (copied / "warptune").write_bytes((package / "bin" / "warptune").read_bytes())
    (copied / "warptune").chmod(0o755)
    wheels = tmp_path / "nvidia" / "cu13" / "lib"
    wheels.mkdir(parents=True)
    done = subprocess.run([copied / "warptune", "doctor"], capture_output=True, text=True, env={"HOME": str(tmp_path)})
    folders = done.stdout.split("searched in this order: ")[1]
    assert folders.startswith(str(wheels)), done.stdout
