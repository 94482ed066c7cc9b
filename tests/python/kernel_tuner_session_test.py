"""Kernel Tuner's calls with a fake worker instead of a GPU, and a libcuda that launches nothing."""

import array
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune.compat import kernel_tuner
from warptune.compat.kernel_tuner import checking, file_utils, interface, readings
from warptune.compat.kernel_tuner.accuracy import AccuracyObserver, Tunable
from warptune.compat.kernel_tuner.file_utils import store_metadata_file, store_output_file
from warptune.compat.kernel_tuner.observers import NCUObserver, OutputObserver
from warptune.compat.kernel_tuner.observers.nvml import NVMLObserver
from warptune.compat.kernel_tuner.strategies import Search
from warptune.compat.kernel_tuner.util import get_config_string

N = 1024
ROOT = Path(__file__).resolve().parents[2]
SOURCE = """__global__ void scale(real* x, int n) {
  const int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""
PARAMETERS: dict[str, list[Any]] = {"block_size_x": [64, 128], "real": ["float", "double"]}


class Values(array.array):  # type: ignore[type-arg]
    """An array of the host without NumPy."""

    shape = (N,)

    @property
    def dtype(self) -> str:
        return {"f": "float32", "d": "float64"}[self.typecode]


class Count:
    """A scalar."""

    dtype, shape = "int32", ()

    def item(self) -> int:
        return N


class Real:
    """A scalar."""

    dtype, shape = "float32", ()

    def __init__(self, value: float) -> None:
        self._value = value

    def item(self) -> float:
        return self._value


class DeviceArray:
    """Memory that the libcuda of the tests takes for a GPU's."""

    dtype, shape = "float32", (N,)

    def __init__(self) -> None:
        self.__cuda_array_interface__ = {"shape": (N,), "typestr": "<f4", "data": (1 << 20, False), "version": 3}


def values(kind: str = "f") -> Values:
    return Values(kind, [1.0] * N)


def precisions() -> Tunable:
    return Tunable("real", {"float": values("f"), "double": values("d"), "half": values("f")})


@pytest.fixture
def fake_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """A fake worker measures. The list holds the definition and the options of each session."""
    monkeypatch.setenv("WARPTUNE_WORKER", os.environ["WARPTUNE_FAKE_GPU_WORKER"])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    sessions: list[dict[str, Any]] = []
    original = warptune.Kernel.tune

    def noted(kernel: warptune.Kernel, **options: Any) -> warptune.TuningResult:
        sessions.append({**options, "definition": kernel._definition})
        return original(kernel, **options, jobs=1)
    monkeypatch.setattr(warptune.Kernel, "tune", noted)
    return sessions


def tune(**changes: Any) -> Any:
    given: dict[str, Any] = {"kernel_name": "scale", "kernel_source": SOURCE, "problem_size": N, "arguments": [precisions(), Count()],
                             "tune_params": PARAMETERS, "quiet": True, **changes}
    return kernel_tuner.tune_kernel(**given)


def plain(**changes: Any) -> Any:
    return tune(kernel_source=SOURCE.replace("real", "float"), arguments=[values(), Count()], tune_params={"block_size_x": [64, 128]},
                **changes)


def test_an_argument_may_depend_on_a_parameter(fake_gpu: list[dict[str, Any]]) -> None:
    results, env = tune()
    assert [one["definition"]["arguments"][0]["type"] for one in fake_gpu] == ["f64", "f32"]
    assert sorted((one["block_size_x"], one["real"]) for one in results) == [(b, r) for b in (64, 128) for r in ("double", "float")]
    assert all("__error__" not in one for one in results), results
    assert [one["timestamp"] for one in results] == sorted(one["timestamp"] for one in results)
    assert env["best_config"] in results


def test_limits_hold_for_all_types_together(fake_gpu: list[dict[str, Any]]) -> None:
    results, _ = tune(strategy="random_sample", strategy_options={"max_fevals": 2})
    assert len(results) == 2 and {one["real"] for one in results} == {"float", "double"}
    only, _ = tune(restrictions=["real == 'float'"])
    assert {one["real"] for one in only} == {"float"} and len(fake_gpu) == 3


def test_a_key_that_an_argument_lacks_is_refused() -> None:
    with pytest.raises(warptune.InputError, match="'half2' is not a key of this Tunable: expected one of float, double, half"):
        tune(tune_params={**PARAMETERS, "real": ["float", "half2"]})
    nested = Tunable(lambda p: p["block_size_x"] > 64, {False: 1, True: Tunable("real", ["a", "b"])})
    assert nested({"block_size_x": 128, "real": 1}) == "b" and nested.select_for_configuration({"block_size_x": 64}) == 1


def test_observers_of_outputs_see_one_more_launch_of_each_configuration(fake_gpu: list[dict[str, Any]],
                                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    launches: list[Any] = []

    def launched(options: Any, device: int) -> list[Any]:
        launches.append({name: value for name, [value] in options.space.items()})
        return [numpy.array([1.0, 2.0 + options.space["block_size_x"][0]]), Count()]
    monkeypatch.setattr(interface, "launched", launched)
    answer, seen = [numpy.array([1.0, 2.0]), None], []

    class Own(OutputObserver):
        def process_output(self, answers: Any, outputs: Any) -> None:
            seen.append((answers, outputs))

    results, _ = plain(observers=[AccuracyObserver("maximum error", "worst"), Own()], answer=answer,
                       metrics={"per_cent": lambda p: 100 * p["worst"]}, verify=lambda answer, found, atol: True)
    right = [one for one in results if "__error__" not in one]
    assert right and [one["block_size_x"] for one in right] == [one["block_size_x"] for one in launches]
    assert all(one["worst"] == one["block_size_x"] and one["per_cent"] == 100 * one["worst"] for one in right), results
    assert len(seen) == len(right) and seen[0][0][1] is None and (seen[0][0][0] == answer[0]).all()
    with pytest.raises(warptune.InputError, match="AccuracyObserver needs answer="):
        plain(observers=[AccuracyObserver()])


def test_results_have_the_shape_of_kernel_tuner(fake_gpu: list[dict[str, Any]], tmp_path: Path) -> None:
    results, env = plain(parallel=True, strategy=kernel_tuner.strategies.minimize, metrics={"rate": "1 / time"})
    assert all(len(one["times"]) > 1 and min(one["times"]) <= one["time"] <= max(one["times"]) for one in results)
    sys.path.insert(0, str(ROOT / "bench" / "kernel_tuner_compat"))
    try:
        from examples import faults_of  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    assert faults_of(results, env, {"block_size_x": [64, 128]}, {"rate": ""}) == []
    assert faults_of([{**results[0], "time": 1}], {}, {"block_size_x": [64, 128]}, {"other": ""}) == [
        "a result lacks other", "the environment has no best_config", "time is no float, or times is no list"]
    store_output_file(str(tmp_path / "out" / "results"), results, {"block_size_x": [64, 128]})
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    first = document["results"][0]
    assert first["times"]["runtimes"] == results[0]["times"] and first["invalidity"] == "correct"
    assert {one["name"]: one["value"] for one in first["measurements"]} == {"time": results[0]["time"], "rate": results[0]["rate"]}
    store_metadata_file(str(tmp_path / "metadata.json"))
    assert "environment" in json.loads((tmp_path / "metadata.json").read_text(encoding="utf-8"))["metadata"]
    assert get_config_string({"a": 1, "time": 0.12345}, units={"time": "ms"}) == "a=1, time=0.123ms"


def test_metrics_of_what_was_not_read_are_left_out_with_a_warning(fake_gpu: list[dict[str, Any]]) -> None:
    observers = [NVMLObserver(["nvml_energy"]), NCUObserver(["dram__bytes.sum"])]
    metrics = {"per joule": lambda p: 1 / p["nvml_energy"], "twice": "2 * nvml_energy", "rate": "1 / time"}
    with pytest.warns(warptune.TuningWarning, match=r"dram__bytes\.sum, nvml_energy could not be read for every configuration"):
        results, _ = plain(observers=observers, metrics=metrics)
    assert all(one["rate"] == 1 / one["time"] and not {"per joule", "twice"} & set(one) for one in results)
    assert fake_gpu[0]["thorough"] and fake_gpu[0]["metrics"] == ["energy_j", "dram__bytes.sum"]
    with pytest.raises(KeyError, match="nothing"):
        plain(metrics={"wrong": lambda p: p["nothing"]})


def test_a_cache_keeps_what_was_measured_before_control_c(fake_gpu: list[dict[str, Any]], tmp_path: Path,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "results_of", lambda arguments, results: [])  # It would need NumPy.
    path = tmp_path / "kept.json"
    asked: list[int] = []

    def verify(answer: Any, results: Any, atol: float = 0.0) -> bool:
        asked.append(len(asked))
        if len(asked) > 2:
            raise KeyboardInterrupt
        return True
    sizes = {"block_size_x": [32, 64, 96, 128, 160, 192]}
    source = SOURCE.replace("real", "float")
    with pytest.raises(KeyboardInterrupt):
        tune(kernel_source=source, arguments=[values(), Count()], tune_params=sizes, cache=path, verify=verify)
    kept = json.loads(path.read_text(encoding="utf-8"))["cache"]
    assert 0 < len(kept) < 6
    tune(kernel_source=source, arguments=[values(), Count()], tune_params=sizes, cache=path)
    assert len(json.loads(path.read_text(encoding="utf-8"))["cache"]) == 6


def test_results_of_another_thread_stay_with_it(fake_gpu: list[dict[str, Any]]) -> None:
    found: dict[int, list[dict[str, Any]]] = {}

    def work(seed: int) -> None:
        found[seed] = tune(kernel_source=SOURCE.replace("real", "float"), arguments=[values(), Count()], strategy="random_sample",
                           tune_params={"block_size_x": list(range(32, 1025, 32))}, strategy_options={"max_fevals": 3}, seed=seed)[0]
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [len(found[seed]) for seed in range(4)] == [3, 3, 3, 3], found


def test_types_that_need_little_time_leave_it_to_the_others() -> None:
    search = Search("random", None, 60.0)
    assert search.share(3, 0, 0.0).time_limit_s == 20.0
    assert search.share(1, 9, 25.0).time_limit_s == 35.0  # What is left of the minute.
    assert search.share(1, 9, 70.0).time_limit_s == 0.0


def test_a_tunable_needs_no_value_for_what_is_excluded(fake_gpu: list[dict[str, Any]]) -> None:
    half = {**PARAMETERS, "real": ["float", "half2"]}
    results, _ = tune(tune_params=half, restrictions=["real != 'half2'"])
    assert {one["real"] for one in results} == {"float"}


def test_long_generated_sources_are_one_kernel_in_every_call(fake_gpu: list[dict[str, Any]]) -> None:
    long = "// " + 40000 * "x" + "\n"

    def write(params: dict[str, Any]) -> str:
        return long + SOURCE.replace("real", "float").replace("*= 2", f"*= {params['block_size_x']}")
    for _ in range(2):
        results, _ = tune(kernel_source=write, arguments=[values(), Count()], tune_params={"block_size_x": [64, 128]})
        assert len(results) == 2
    assert fake_gpu[0]["definition"]["source"] == fake_gpu[1]["definition"]["source"]
    assert len(fake_gpu[0]["definition"]["source"]) < len(long)


def test_folders_of_results_files_are_made(tmp_path: Path) -> None:
    store_output_file(str(tmp_path / "a" / "b" / "c"), [], {})
    assert (tmp_path / "a" / "b" / "c.json").is_file()


def test_what_nvidia_smi_breaks_off_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(file_utils, "_output_of", lambda *command: "<nvidia_smi_log><gpu>")
    store_metadata_file(str(tmp_path / "metadata"))
    assert json.loads((tmp_path / "metadata.json").read_text(encoding="utf-8"))["metadata"]["environment"]["device_query"] == {}


def test_a_session_reads_the_temperature(fake_gpu: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def read(name: str) -> float | None:
        asked.append(name)
        return {"temperature": 51.0, "mem_freq": 3201.0}[name] if len(asked) > 2 else None
    monkeypatch.setattr(readings, "reader_of", lambda device: read)
    results, _ = plain(observers=[NVMLObserver(["temperature", "mem_freq"])], metrics={"kelvin": "temperature + 273"})
    assert all((one["temperature"], one["mem_freq"], one["kelvin"]) == (51.0, 3201.0, 324.0) for one in results), results


def test_the_first_reading_of_a_short_session_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def read(name: str) -> float | None:
        asked.append(name)
        return 51.0 if len(asked) > 1 else None
    monkeypatch.setattr(readings, "reader_of", lambda device: read)
    monkeypatch.setattr(readings, "INTERVAL_S", 100.0)
    with readings.Readings(["temperature"], 0) as taken:
        pass
    assert taken.mean(0.0, 1.0) == {"temperature": 51.0}


def test_readings_belong_to_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "reader_of", lambda device: lambda name: 40.0)
    taken = readings.Readings(["temperature"], 0)
    taken._taken = [(100.0, {"temperature": 40.0}), (200.0, {"temperature": 50.0}), (300.0, {"temperature": 60.0})]
    assert taken.mean(90, 210) == {"temperature": 45.0}
    assert taken.mean(290, 295) == {"temperature": 60.0}
    assert taken.mean(0, 10) == {"temperature": 40.0} and taken.mean(210, 220) == {"temperature": 50.0}
    assert taken.mean(400, 410) == {"temperature": 60.0} and taken.mean(300, 300) == {"temperature": 60.0}
    assert readings.Readings([], 0).mean(0, 1) == {}
    monkeypatch.undo()
    monkeypatch.setattr(readings, "LIBRARY", "libmissing.so.1")
    with pytest.raises(warptune.MachineError, match=r"libmissing\.so\.1 of NVIDIA's driver is needed"):
        readings.gpu_name(0)


class Nvml:
    """An NVML with GPUs of these names."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def nvmlInit_v2(self) -> int:
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = len(self._names)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, at: int, handle: Any) -> int:
        handle._obj.value = at + 1
        return 0 if at < len(self._names) else 1

    def nvmlDeviceGetName(self, handle: Any, text: Any, size: int) -> int:
        text.value = self._names[handle.value - 1].encode()
        return 0


def test_numbers_of_gpus_that_may_differ_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(readings.ctypes, "CDLL", lambda name: Nvml(["Fast", "Fast"]))
    assert readings.gpu_name(1) == "Fast"
    monkeypatch.setattr(readings.ctypes, "CDLL", lambda name: Nvml(["Slow", "Fast"]))
    with pytest.raises(warptune.MachineError, match="set CUDA_DEVICE_ORDER=PCI_BUS_ID"):
        readings.gpu_name(0)
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    assert (readings.gpu_name(0), readings.gpu_name(1)) == ("Slow", "Fast")
    with pytest.raises(warptune.MachineError, match="NVML does not know GPU 2"):
        readings.gpu_name(2)


def test_a_python_kernel_launches_on_arrays_of_the_gpu(fake_gpu: list[dict[str, Any]]) -> None:
    source = SOURCE.replace("real", "float")
    scale = kernel_tuner.PythonKernel("scale", source, N, [DeviceArray(), Count()], {"block_size_x": 64})
    x = DeviceArray()
    plain()  # There is a database then.
    assert scale(x, Count()) == []
    assert scale.params == {"block_size_x": 64} and len(scale._loaded) == 1
    scale.run_kernel([x, Count()])
    assert len(scale._loaded) == 1
    signed = kernel_tuner.PythonKernel("scale", source.replace("int n", "float n"), N, [x, Real(0.0)], {"block_size_x": 64})
    for value in (0.0, -0.0):
        signed(x, Real(value))
    assert len(signed._loaded) == 2
    with pytest.raises(warptune.InputError, match="scale has 2 arguments, and 1 are given"):
        scale(x)
    with pytest.raises(warptune.InputError, match="inputs= has 1 entries and arguments= has 2"):
        kernel_tuner.PythonKernel("scale", source, N, [x, Count()], {"block_size_x": 64}, inputs=[True])


def test_a_python_kernel_takes_the_best_of_a_results_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warptune.compat.kernel_tuner import kernelbuilder
    from warptune.compat.kernel_tuner.integration import TuneResults
    path = tmp_path / "results.json"
    for gpu, size, times in (("A GPU", N, {64: 2.0, 128: 1.0}), ("A GPU", 7, {64: 1.0}), ("Other", N, {64: 1.0, 128: 3.0})):
        results = [{"block_size_x": block, "time": time} for block, time in times.items()]
        kernel_tuner.store_results(path, "scale", SOURCE, {"block_size_x": [64, 128]}, size, results, {"device_name": gpu}, top=200)
    best = TuneResults(path).get_best_config
    assert best("A GPU", N) == {"block_size_x": 128} and best("Other", N) == {"block_size_x": 64}
    assert best("A GPU", 99) == {"block_size_x": 64}  # It is among the best for two sizes.
    assert best("Unknown") == {"block_size_x": 64}
    monkeypatch.setattr(kernelbuilder, "gpu_name", lambda device: "A GPU")
    made = kernel_tuner.PythonKernel("scale", SOURCE.replace("real", "float"), N, [DeviceArray(), Count()], results_file=str(path))
    assert made.params == {"block_size_x": 128}


PROGRAM = """
import array
from kernel_tuner import tune_kernel

class Values(array.array):
    dtype, shape = "float32", (64,)

kernel = "__global__ void twice(float* x) { x[blockIdx.x * block_size_x + threadIdx.x] *= 2; }"
results, env = tune_kernel("twice", kernel, 64, [Values("f", [1.0] * 64)], {"block_size_x": [32, 64]}%s)
"""


def test_programs_run_with_their_imports_changed(tmp_path: Path) -> None:
    for name, text in {"right": PROGRAM % "", "log": PROGRAM % ", log=10",
                       "texture": PROGRAM % ", texmem_args={'t': 1}", "needs": "import kernel_tuner, no_such_module",
                       "broken": (PROGRAM % "") + "1 / 0\n", "metric": PROGRAM % ", metrics={'a': 'nothing'}",
                       "own": PROGRAM % ", metrics={'a': lambda p: 1 / 0}", "none": "print(1)"}.items():
        (tmp_path / f"{name}.py").write_text(text.replace("import kernel_tuner, ", "import kernel_tuner\nimport "), encoding="utf-8")
    (tmp_path / "test_one.py").write_text("import kernel_tuner\n\ndef test_it():\n    assert kernel_tuner.__version__\n", encoding="utf-8")
    program = ROOT / "bench" / "kernel_tuner_compat" / "examples.py"
    logs = tmp_path.parent / "logs"
    done = subprocess.run([sys.executable, program, "--logs", logs, tmp_path], capture_output=True, text=True, env={
        **os.environ, "WARPTUNE_WORKER": os.environ["WARPTUNE_FAKE_GPU_WORKER"]}, timeout=200)
    found = [re.fullmatch(r"(\S+\.py) +(\w+) +\d+ s  (.*)", line) for line in done.stdout.splitlines()]
    rows = {row[1]: [row[2], row[3]] for row in found if row}
    assert rows["right.py"] == ["ran", "1 calls, 2 results"], done.stdout + done.stderr
    assert rows["log.py"] == ["ran", "1 calls, 2 results"]
    assert "log= is not used" in next(logs.rglob("log.py.txt")).read_text(encoding="utf-8")
    assert rows["texture.py"][0] == "refused" and "texmem_args= has no equivalent" in rows["texture.py"][1]
    assert rows["needs.py"] == ["needs", "ModuleNotFoundError: No module named 'no_such_module'"]
    assert rows["broken.py"] == ["broken", "ZeroDivisionError: division by zero"]
    assert rows["own.py"] == ["broken", "ZeroDivisionError: division by zero"]
    assert rows["metric.py"][0] == "refused" and "cannot be computed" in rows["metric.py"][1]
    assert rows["test_one.py"][0] == "ran" and "none.py" not in rows
    assert done.returncode == 0
    assert "ZeroDivisionError" in (logs / "changed" / "broken.py.txt").read_text(encoding="utf-8")


def test_a_program_that_outlasts_its_limit_is_unfinished_and_the_total_time_ends_the_others(tmp_path: Path) -> None:
    for name in ("a_slow", "b_late"):
        (tmp_path / f"{name}.py").write_text("import kernel_tuner\nimport time\ntime.sleep(60)\n", encoding="utf-8")
    program = ROOT / "bench" / "kernel_tuner_compat" / "examples.py"
    done = subprocess.run([sys.executable, program, "--limit", "a_slow.py=2", "--total", "11", tmp_path], capture_output=True, text=True,
                          timeout=100)
    rows = done.stdout.splitlines()
    assert rows[0].split()[:2] == ["a_slow.py", "unfinished"] and "b_late.py" in rows[1] and "no time" in rows[1], done.stdout + done.stderr
