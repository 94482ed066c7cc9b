"""Kernel Tuner's results, cache files, simulation mode and results files."""

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune.compat import kernel_tuner
from warptune.compat.kernel_tuner import known
from warptune.compat.kernel_tuner.cache import read_cache, write_cache
from warptune.compat.kernel_tuner.observers import RegisterObserver
from warptune.compat.kernel_tuner.util import CompilationFailedConfig, InvalidConfig, RuntimeFailedConfig

SOURCE = """__global__ void fill(float* c, int n) {
  const int i = blockIdx.x * block_size_x + threadIdx.x;
  for (int j = 0; j < tile; ++j) c[i] = n;
}
"""
PARAMETERS = {"block_size_x": [64, 128, 256], "tile": [1, 2]}
HEADING: dict[str, Any] = {"device_name": "A GPU", "kernel_name": "fill", "problem_size": 1000,
                           "tune_params_keys": ["block_size_x", "tile"], "tune_params": PARAMETERS, "objective": ["time"]}


@dataclass(frozen=True)
class Data:
    """What the translation reads of an array or of a scalar."""

    dtype: str
    shape: tuple[int, ...] = ()

    def item(self) -> int:
        return 7


def entry(block: int, tile: int) -> dict[str, Any]:
    result: dict[str, Any] = {"block_size_x": block, "tile": tile, "time": 1000 / block + tile, "times": [1.0, 2.0]}
    if (block, tile) == (256, 2):
        result = {"block_size_x": block, "tile": tile, "__error__": "CompilationFailedConfig"}
    return {**result, "compile_time": 100.0, "verification_time": 10.0, "benchmark_time": 1.0, "strategy_time": 3.0, "framework_time": 4.0,
            "timestamp": "2026-01-01 00:00:00+00:00"}


def entries() -> dict[str, dict[str, Any]]:
    return {f"{block},{tile}": entry(block, tile) for block in PARAMETERS["block_size_x"] for tile in PARAMETERS["tile"]}


def cache_text(is_closed: bool = True) -> str:
    """A cache file as Kernel Tuner 1.5 writes it."""
    head = json.dumps({**HEADING, "cache": {}}, indent="")[:-3]
    lines = ["\n" + json.dumps({key: one})[1:-1] + "," for key, one in entries().items()]
    text = head + "".join(lines)
    return text[:-1] + "}\n}" if is_closed else text


class RecordedRows:
    """The rows of a session, as a database has them. A recording of others belongs to another problem."""

    columns = ("block_size_x", "tile", "status", "median_ns", "compile_ms", "measure_ms", "time_stamp_ms", "registers_per_thread")

    def __len__(self) -> int:
        return 6

    def values(self, column: str) -> list[Any]:
        held: dict[str, list[Any]] = {
            "block_size_x": [64, 128, 256, 64, 128, 256], "tile": [1, 1, 1, 2, 2, 2],
            "status": ["measured", "dropped", "measured", "measured", "measured", "compile_failed"],
            "median_ns": [1e9 * one for one in (1, 1 / 2, 1 / 4, 2, 1, 0)], "compile_ms": [5.0] * 6,
            "measure_ms": [2.0, 2.0, 2.0, 2.0, 2.0, None], "registers_per_thread": [16] * 6,
            "time_stamp_ms": [3, 2, 1, 4, 5, 6]}
        return held[column]

    def samples_ns(self) -> list[list[float]]:
        return [[1e9, 3e9]] * 5 + [[]]


def tune(**changes: Any) -> Any:
    given: dict[str, Any] = {"kernel_name": "fill", "kernel_source": SOURCE, "problem_size": 1000,
                             "arguments": [Data("float32", (1024,)), Data("int32")], "tune_params": PARAMETERS, "quiet": True, **changes}
    return kernel_tuner.tune_kernel(**given)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    path = tmp_path / "fill.json"
    path.write_text(cache_text(), encoding="utf-8")
    return path


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """A recording answers instead of a GPU. The list holds the options of each session."""
    recording = tmp_path / "recorded.json"
    recording.write_text(cache_text(), encoding="utf-8")
    sessions: list[dict[str, Any]] = []
    original = warptune.Kernel.tune

    def answered(kernel: warptune.Kernel, **options: Any) -> warptune.TuningResult:
        sessions.append(options)
        kept = {name: value for name, value in options.items() if name not in ("inputs", "expected", "check", "replay", "device", "fresh")}
        return original(kernel, **kept, replay=recording, db=tmp_path / "a.db")

    monkeypatch.setattr(warptune.Kernel, "tune", answered)
    monkeypatch.setattr(warptune.Kernel, "_session_results", lambda kernel, session_id, db: RecordedRows())
    return sessions


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_cache_file_is_read_and_written_as_it_is(tmp_path: Path, is_closed: bool) -> None:
    path = tmp_path / "a.json"
    path.write_text(cache_text(is_closed), encoding="utf-8")
    document = read_cache(path)
    assert isinstance(document["cache"]["256,2"]["__error__"], CompilationFailedConfig)
    assert document["cache"]["64,1"]["time"] == 1000 / 64 + 1
    write_cache(path, {name: value for name, value in document.items() if name != "cache"}, document["cache"])
    assert path.read_text(encoding="utf-8") == cache_text()
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(warptune.InputError, match="is not a cache file of Kernel Tuner"):
        read_cache(path)


def test_a_simulation_answers_as_kernel_tuner_does(cache: Path) -> None:
    results, env = tune(cache=str(cache)[:-5], simulation_mode=True, metrics={"rate": "1000 / time", "twice": lambda p: 2 * p["rate"]})
    assert [(one["block_size_x"], one["tile"]) for one in results] == [(b, t) for b in (64, 128, 256) for t in (1, 2)]
    first = results[0]
    assert first["rate"] == 1000 / first["time"] and first["twice"] == 2 * first["rate"]
    assert repr(results[-1]["__error__"]) == "CompilationFailedConfig" and "rate" not in results[-1]
    assert env["device_name"] == "A GPU" and env["simulation"] is True
    assert env["simulated_time"] == 6 * 111.0 and env["total_compile_time"] == 600.0 and "overhead_time" in env
    assert (env["best_config"]["block_size_x"], env["best_config"]["tile"]) == (256, 1)
    best = tune(cache=cache, simulation_mode=True, objective="rate", objective_higher_is_better=False, metrics={"rate": "1 / time"})
    assert best[1]["best_config"]["block_size_x"] == 64


def test_a_simulation_keeps_to_its_limits_and_to_the_restrictions(cache: Path) -> None:
    some, _ = tune(cache=cache, simulation_mode=True, strategy="random_sample", strategy_options={"max_fevals": 3}, seed=4)
    again, _ = tune(cache=cache, simulation_mode=True, strategy="random_sample", strategy_options={"max_fevals": 3}, seed=4)
    assert len(some) == 3 and some == again
    assert len(tune(cache=cache, simulation_mode=True, strategy_options={"time_limit": 0.2})[0]) == 2
    assert len(tune(cache=cache, simulation_mode=True, restrictions=["tile == 1"])[0]) == 3
    assert len(kernel_tuner.tune_cache(cache, quiet=True)[0]) == 5
    with pytest.raises(warptune.InputError, match="the cache has no entry 512,1"):
        document = json.loads(cache.read_text(encoding="utf-8"))
        document["tune_params"] = {**PARAMETERS, "block_size_x": [512]}
        tune(cache=cache, simulation_mode=True, tune_params=document["tune_params"])


@pytest.mark.parametrize(("change", "message"), [
    ({"iterations": 32}, "iterations=32 is not used: warptune decides"),
    ({"simulation_mode": True, "strategy": "genetic_algorithm"}, "strategy='genetic_algorithm' is not simulated: .* random order"),
    ({"strategy": "minimize", "objective": "rate", "objective_higher_is_better": True, "metrics": {"rate": "1 / time"}},
     r"objective='rate' only chooses env\[\"best_config\"\]: .* shortest time")])
def test_an_argument_with_another_effect_is_named_by_a_warning(cache: Path, change: dict[str, Any], message: str) -> None:
    with pytest.warns(warptune.TuningWarning, match=message) as caught:
        tune(cache=cache, **change)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tune(cache=cache, simulation_mode=True, iterations=7, objective="time", strategy="random_sample")
        tune(cache=cache, simulation_mode=True, objective="rate", objective_higher_is_better=True, metrics={"rate": "1 / time"})


@pytest.mark.parametrize(("change", "message"), [
    ({"kernel_name": "other"}, "results of the kernel fill"), ({"problem_size": 7}, "problem size 1000, and not of 7"),
    ({"tune_params": {"tile": [1], "block_size_x": [64]}}, "not tile, block_size_x in this order")])
def test_a_cache_of_another_call_is_refused(cache: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(warptune.InputError, match=message):
        tune(cache=cache, simulation_mode=True, **change)


def test_a_session_gives_results_of_the_same_shape(replayed: list[dict[str, Any]], tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    results, env = tune(cache=tmp_path / "new", quiet=False, metrics={"rate": "1 / time"}, observers=[RegisterObserver()])
    order = [(one["block_size_x"], one["tile"]) for one in results]
    assert order == [(256, 1), (128, 1), (64, 1), (64, 2), (128, 2), (256, 2)]  # As they were measured.
    assert [one.get("dropped", False) for one in results] == [False, True, False, False, False, False]
    failed = next(one for one in results if "__error__" in one)
    assert (failed["block_size_x"], failed["tile"]) == (256, 2)
    assert isinstance(failed["__error__"], CompilationFailedConfig) and "time" not in failed
    right = next(one for one in results if (one["block_size_x"], one["tile"]) == (64, 2))
    assert right["time"] == 2000 and right["rate"] == 1 / 2000 and right["num_regs"] == 16
    assert right["times"] == [1000.0, 3000.0] and "times" not in failed
    for name in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time", "timestamp"):
        assert all(name in one for one in results), name
    assert env["device_name"] == "A GPU" and env["best_config"]["block_size_x"] == 256 and env["iterations"] == 7
    assert "block_size_x=64, tile=2, time=2000.000" in capsys.readouterr().out
    assert replayed[0]["budget"] == "all" and replayed[0]["strategy"] == "exhaustive" and replayed[0]["metrics"] == "none"
    written = read_cache(tmp_path / "new.json")
    assert written["device_name"] == "A GPU" and len(written["cache"]) == 6


def test_what_a_cache_holds_is_not_measured_again(replayed: list[dict[str, Any]], cache: Path) -> None:
    results, env = tune(cache=cache)
    assert len(results) == 6 and not replayed and env["total_benchmark_time"] == 0
    some = {key: one for key, one in read_cache(cache)["cache"].items() if key != "128,1"}
    write_cache(cache, {**HEADING, "device_name": "A GPU"}, some)
    results, _ = tune(cache=cache)
    assert len(results) == 6 and len(replayed) == 1
    new = next(one for one in results if (one["block_size_x"], one["tile"]) == (128, 1))
    assert new["time"] == 500
    assert len(read_cache(cache)["cache"]) == 6


def test_a_cache_of_another_gpu_is_refused_before_anything_is_measured(
        replayed: list[dict[str, Any]], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = read_cache(cache)["cache"]
    write_cache(cache, {**HEADING, "device_name": "Another GPU"}, {key: one for key, one in full.items() if key != "128,1"})
    asked: list[str] = []

    def verify(*arrays: Any, **options: Any) -> bool:
        asked.append("verify")
        return True
    monkeypatch.setattr(warptune.Kernel, "_session_results", lambda *given: pytest.fail("rows were measured"))
    with pytest.raises(warptune.InputError, match="has results of Another GPU, and this is A GPU"):
        tune(cache=cache, verify=verify)
    assert not asked
    write_cache(cache, {**HEADING, "device_name": "Another GPU"}, full)
    monkeypatch.setattr(known, "gpu_name", lambda device: "A GPU")
    with pytest.raises(warptune.InputError, match="has results of Another GPU, and this is A GPU"):
        tune(cache=cache)
    assert len(tune(cache=cache, simulation_mode=True)[0]) == 6
    write_cache(cache, {**HEADING, "device_name": "A GPU MIG 1g.18gb"}, full)
    assert len(tune(cache=cache)[0]) == 6


def test_a_cache_keeps_its_results_when_a_metric_fails(replayed: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    with pytest.raises(ZeroDivisionError):
        tune(cache=path, metrics={"rate": lambda p: 1 / 0})
    assert len(read_cache(path)["cache"]) == 6
    results, _ = tune(cache=path, metrics={"rate": "1 / time"})
    assert len(results) == 6 and len(replayed) == 1
    assert all("rate" in one for one in results if "__error__" not in one)


def test_results_files_hold_the_best_of_each_gpu_and_size(cache: Path, tmp_path: Path) -> None:
    results, env = tune(cache=cache, simulation_mode=True)
    path = tmp_path / "results.json"
    for size in (1000, (10, 20), 1000):
        kernel_tuner.store_results(path, "fill", SOURCE, PARAMETERS, size, results, env, top=30)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["version_number"], document["objective"], document["kernel_string"]) == ("1.0", "time", SOURCE)
    assert [one["problem_size"] for one in document["data"]] == ["10x20", "1000"]
    assert document["data"][1] == {"device_name": "A_GPU", "problem_size": "1000", "tunable_parameters": {"block_size_x": 256, "tile": 1},
                                   "time": 1000 / 256 + 1}
    with pytest.raises(warptune.InputError, match="results of the kernel fill"):
        kernel_tuner.store_results(path, "other", SOURCE, PARAMETERS, 1000, results, env)


def test_errors_are_named_as_in_kernel_tuner() -> None:
    assert [str(kind()) for kind in (InvalidConfig, RuntimeFailedConfig)] == ["InvalidConfig", "RuntimeFailedConfig"]
    assert json.dumps({"a": InvalidConfig()}) == '{"a": ""}'
