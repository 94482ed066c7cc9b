"""What a machine or a process lacks: a driver, NVRTC, or a CUDA that works. Each is an exception of one sentence, and the process lives.

The libcuda is that of the tests. Each case is a process of its own, because a process keeps the libraries that it has loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import ctypes, os, warptune
from pathlib import Path

SHARE = Path(warptune.__file__).parent / "share" / "warptune"
warptune.Kernel("transpose").tune(budget=3, replay=SHARE / "recordings" / "transpose-h200.wtrec.zst")  # There is a database then.

def described():
    return warptune.Kernel(
        name="alone", entry="alone", problem={"N": 1024}, parameters={"BLOCK": [128, 256]}, default={"BLOCK": 256},
        source='extern "C" __global__ void alone(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1.0f; }\\n',
        launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        arguments=[{"name": "x", "kind": "inout", "type": "f32", "count": "N"},
                   {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}],
        work={"bytes": "8 * N"})

class Array:
    __cuda_array_interface__ = {"shape": (1024,), "typestr": "<f4", "data": (1 << 20, False), "version": 3, "stream": None}

def say(call):
    try:
        call()
        print("done", flush=True)
    except warptune.Error as error:
        print(f"{type(error).__name__}: {error}", flush=True)

"""


def answers(script: str, **variables: str) -> list[str]:
    """What a process says, a line for each call. It ends by itself."""
    done = subprocess.run([sys.executable, "-c", BEGIN + script], env={**os.environ, **variables}, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def require_one_sentence(line: str) -> None:
    assert line.startswith("MachineError: ") and not line.rstrip().endswith(".") and ". " not in line, line


def without(library: str) -> dict[str, str]:
    return {"LD_PRELOAD": os.environ["TEST_BLOCKED_LIBRARY"], "BLOCKED_LIBRARY": library}


def test_without_a_driver_nothing_is_loaded_or_measured() -> None:
    lines = answers("say(lambda: described().load())\nsay(lambda: described().tune(budget=1, replay=False))\nprint(len(described().space))",
                    **without("libcuda.so"))
    assert len(lines) == 3 and lines[2] == "2", lines
    for line in lines[:2]:
        require_one_sentence(line)
        assert "libcuda.so.1" in line, line
    assert "install an NVIDIA driver" in lines[0]


def test_without_nvrtc_nothing_is_compiled(tmp_path: Path) -> None:
    worker = tmp_path / "worker"  # The variables of a compile worker are few.
    program = Path(sys.executable).parent / "warptune"
    variables = " ".join(f'{name}="{value}"' for name, value in without("libnvrtc").items())
    worker.write_text(f'#!/bin/sh\nexport {variables}\nexec "{program}" "$@"\n')
    worker.chmod(0o755)
    lines = answers("say(lambda: described().load())\nsay(lambda: described().check())\nprint(len(described().space))",
                    **without("libnvrtc"), WARPTUNE_WORKER=str(worker))
    assert len(lines) == 3 and lines[2] == "2", lines
    for line in lines[:2]:
        require_one_sentence(line)
        assert "libnvrtc" in line and "install" in line, line


@pytest.mark.parametrize("user", ["another library", "warptune"])
def test_a_process_that_was_forked_from_one_that_used_cuda_says_so(user: str) -> None:
    begun = "ctypes.CDLL('libcuda.so.1').cuInit(0)" if user == "another library" else "described().load()"
    lines = answers(f"""
{begun}
child = os.fork()
if child == 0:
    say(lambda: described().load())
    say(lambda: described().tune(budget=1, inputs={{"x": Array()}}))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
say(lambda: described().load())
""")
    assert len(lines) == 3 and lines[2] == "done", lines
    for line in lines[:2]:
        require_one_sentence(line)
        assert "forked" in line and '"spawn"' in line, line
