"""Kernel Tuner's calls as definitions: spaces, grids, arguments, sources, and what is refused by name."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune.compat import kernel_tuner
from warptune.compat.kernel_tuner.accuracy import AccuracyObserver, metric_of
from warptune.compat.kernel_tuner.arguments import described
from warptune.compat.kernel_tuner.checking import data_options, inputs_of, results_of
from warptune.compat.kernel_tuner.description import KernelOptions, description_of, space_of
from warptune.compat.kernel_tuner.expressions import check_restriction
from warptune.compat.kernel_tuner.observers import BenchmarkObserver, IterationObserver, NCUObserver, RegisterObserver, observed_by
from warptune.compat.kernel_tuner.observers.nvml import NVMLObserver
from warptune.compat.kernel_tuner.strategies import search_of

ADD = """__global__ void add(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
PARAMETERS = {"block_size_x": [64, 128, 256], "tile": [1, 2, 4]}


@dataclass(frozen=True)
class Data:
    """What the translation reads of an array or of a scalar."""

    dtype: str
    shape: tuple[int, ...] = ()
    number: float = 0

    def item(self) -> float:
        return self.number


ARGUMENTS = [Data("float32", (1000,)), Data("float32", (1000,)), Data("float32", (1000,)), Data("int32", (), 1000)]


class OwnStrategy:
    """What Kernel Tuner takes for a strategy."""

    def tune(self) -> None: ...


def options(**changes: Any) -> KernelOptions:
    given: dict[str, Any] = {"kernel_name": "add", "kernel_source": ADD, "problem_size": 1000, "arguments": ARGUMENTS,
                             "space": space_of(changes.pop("tune_params", PARAMETERS)), "grid_div": [None, None, None], **changes}
    return KernelOptions(**given)


def definition(**changes: Any) -> dict[str, Any]:
    return description_of(options(**changes)).definition


def tune(**changes: Any) -> Any:
    given: dict[str, Any] = {"kernel_name": "add", "kernel_source": ADD, "problem_size": 1000, "arguments": ARGUMENTS,
                             "tune_params": PARAMETERS, "quiet": True, **changes}
    return kernel_tuner.tune_kernel(**given)


def test_a_call_becomes_a_definition_that_compiles() -> None:
    described = description_of(options(restrictions=["block_size_x * tile <= 512"], grid_div=[["block_size_x", "tile"], None, None],
                                       answer=[ARGUMENTS[0], None, None, None]))
    report = described.kernel.check(sample=2)
    assert report.passed and report.warning_count == 0, str(report)
    assert [one["kind"] for one in described.definition["arguments"]] == ["inout", "in", "in", "scalar"]
    assert described.definition["arguments"][0]["count"] == "1000"
    assert described.definition["arguments"][3]["value"] == "1000"
    assert described.definition["check"]["absolute"] == 1e-6
    assert described.definition["launch"]["block"] == ["block_size_x", "1", "1"]


@pytest.mark.parametrize("restriction", [
    ["block_size_x * tile <= 256"], "block_size_x * tile <= 256", lambda p: p["block_size_x"] * p["tile"] <= 256,
    [lambda p: sum(p.values()) >= 0, "block_size_x*tile<=256"], [lambda tile, block_size_x: tile * block_size_x <= 256],
    lambda p: bool({p["tile"] * p["block_size_x"]} & {64, 128, 256}), [(lambda tile, block_size_x: tile * block_size_x < 257,
                                                                       ["tile", "block_size_x"])]])
def test_restrictions_mean_what_they_mean_in_python(restriction: Any) -> None:
    space = description_of(options(restrictions=restriction)).kernel.space
    wanted = {(block, tile) for block in (64, 128, 256) for tile in (1, 2, 4) if block * tile <= 256}
    assert {(one["block_size_x"], one["tile"]) for one in space} == wanted


def test_a_division_by_zero_excludes_nothing() -> None:
    parameters = {"block_size_x": [32, 64], "u": [0, 2]}
    space = description_of(options(tune_params=parameters, restrictions=["block_size_x % u == 1"])).kernel.space
    assert {(one["block_size_x"], one["u"]) for one in space} == {(32, 0), (64, 0)}


def test_a_difference_and_a_sum_may_be_zero_although_no_parameter_is() -> None:
    for restriction in ("16 % (a - b) == 0", "16 % (a + c) == 0", "16 // (a // 8) == 4", "16 % -(b - a) == 0"):
        parameters = {"a": [4, 8], "b": [4, 8], "c": [-4, 4]}
        space = description_of(options(tune_params=parameters, restrictions=[restriction])).kernel.space
        holds = check_restriction(restriction, parameters)
        every = [dict(zip(parameters, values, strict=True)) for values in itertools.product(*parameters.values())]
        assert {tuple(one[name] for name in parameters) for one in space} == {tuple(one.values()) for one in every if holds(one)}


def test_a_restriction_of_a_large_space_reads_only_what_it_names() -> None:
    parameters = {"block_size_x": [16, 32], "padding": [0, 1], **{f"p{at}": list(range(10)) for at in range(6)}}
    plain = "padding == 0 or (block_size_x % 32 != 0)"
    space = description_of(options(tune_params=parameters, restrictions=[plain])).kernel.space
    assert len(space) == 3_000_000
    divided = description_of(options(tune_params=parameters, restrictions=["block_size_x % padding == 0"])).kernel.space
    assert len(divided) == 4_000_000  # A division by zero excludes nothing.


@pytest.mark.parametrize(("size", "divisors", "wanted"), [
    (1000, [None, None, None], lambda b, t: (-(-1000 // b), 1, 1)),
    ((1000, 77), [["block_size_x", "tile"], ["tile"], None], lambda b, t: (-(-1000 // (b * t)), -(-77 // t), 1)),
    (1000, [["block_size_x/32"], None, None], lambda b, t: (-(-1000 // (b // 32)), 1, 1)),
    (1000, [[], None, None], lambda b, t: (1000, 1, 1)),
    ("block_size_x * tile", [None, None, None], lambda b, t: (t, 1, 1)),
    (lambda p: (p["tile"] * 1000, 3), [lambda p: p["block_size_x"] * 1.5, None, None], lambda b, t: (-(-t * 2000 // (3 * b)), 3, 1)),
    ((1000, "tile", 5), ["block_size_x + 1", 2, None], lambda b, t: (-(-1000 // (b + 1)), -(-t // 2), 5))])
def test_the_grid_is_the_size_over_the_divisors(size: Any, divisors: list[Any], wanted: Any) -> None:
    made = definition(problem_size=size, grid_div=divisors)
    for block in PARAMETERS["block_size_x"]:
        for tile in PARAMETERS["tile"]:
            same = [f"({text}) == {number}" for text, number in zip(made["launch"]["grid"], wanted(block, tile), strict=True)]
            one = {"block_size_x": block, "tile": tile}
            space = warptune.Kernel(**{**made, "default": one, "constraints": [f"tile != {tile} || block_size_x != {block} || "
                                                                               f"({' && '.join(same)})"]}).space
            assert one in space, f"{made['launch']['grid']} for {one}"


def test_block_sizes_have_other_names_if_the_caller_says_so() -> None:
    assert definition()["launch"]["block"] == ["block_size_x", "1", "1"]
    named = definition(tune_params={"BX": [32], "BY": [2]}, block_size_names=["BX", "BY"], kernel_source=ADD.replace("block_size_x", "BX"))
    assert named["launch"]["block"] == ["BX", "BY", "1"]
    upper = definition(tune_params={"BLOCK_SIZE_X": [32]}, kernel_source=ADD.replace("block_size_x", "BLOCK_SIZE_X"))
    assert upper["launch"]["block"] == ["BLOCK_SIZE_X", "1", "1"]
    fixed = definition(tune_params={"tile": [1, 2]}, kernel_source=ADD + "// block_size_x tile\n")
    assert fixed["launch"]["block"][0] == "256" and fixed["defines"]["block_size_x"] == "256"


def test_values_have_one_type_and_numbers_of_the_caller_come_back() -> None:
    made = definition(tune_params={"block_size_x": [Data("int64", (), 64), 128], "f": [1, 2.5], "flag": [True, False]},
                      kernel_source=ADD + "// f flag\n")
    assert made["parameters"] == {"block_size_x": [64, 128], "f": [1.0, 2.5], "flag": [True, False]}
    with pytest.raises(warptune.InputError, match="texts and numbers"):
        definition(tune_params={"block_size_x": [64, "a"]})
    with pytest.raises(warptune.InputError, match="the parameter p has no values"):
        space_of({"p": []})
    with pytest.raises(warptune.InputError, match="grid_size_x has a name"):
        space_of({"grid_size_x": [1]})


def test_a_source_is_text_a_file_a_function_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "add.cu").write_text(f'#include "more.h"\n{ADD}', encoding="utf-8")
    (tmp_path / "more.h").write_text("#define MORE tile\n", encoding="utf-8")
    files = [tmp_path / "add.cu", tmp_path / "more.h"]
    for source in (str(files[0]), files[0], files):
        report = description_of(options(kernel_source=source)).kernel.check(sample=1)
        assert report.passed, str(report)
    with pytest.raises(warptune.InputError, match=r"missing\.cu cannot be read"):
        definition(kernel_source=str(tmp_path / "missing.cu"))

    def written(values: dict[str, Any]) -> str:
        return ADD.replace("c[i] =", "c[i] +=" if values["tile"] > 1 else "c[i] =")
    made = description_of(options(kernel_source=written))
    assert made.definition["source"].count("__global__") == 2
    assert made.kernel.check(sample=None).passed


def test_functions_of_too_many_parameters_are_refused() -> None:
    parameters = {f"p{at}": list(range(2, 12)) for at in range(7)}
    with pytest.raises(warptune.InputError, match=r"depends on 10000000 combinations of block_size_x, p0, .* at most 1000000 are tried"):
        definition(tune_params={"block_size_x": [64], **parameters}, restrictions=[lambda p: len(set(p.values())) > 0])
    wide = definition(tune_params={"block_size_x": [64], **parameters}, restrictions=["p0 * p1 % p2 == 0"], kernel_source=ADD)
    assert wide["constraints"][0] == "(((p0 * p1) % p2) == 0)"


def test_template_arguments_macros_and_options_are_translated() -> None:
    template = ADD.replace("__global__", "template <typename T, int TILE> __global__").replace("float", "T")
    made = description_of(options(kernel_name="add<float, tile>", kernel_source=template, compiler_options=["--std=c++14", "-lineinfo"],
                                  smem_args={"size": "4 * block_size_x"}))
    assert made.definition["entry"] == "add<float, {tile}>"
    assert (made.definition["language"], made.definition["flags"]) == ("c++14", ["-lineinfo"])
    assert made.kernel.check(sample=1).passed
    defined = definition(defines={"TYPE": "float", "DOUBLE": lambda p: str(2 * p["tile"])}, kernel_source=ADD + "// TYPE DOUBLE\n")
    assert defined["defines"]["TYPE"] == '"float"'
    assert '"8"' in defined["defines"]["DOUBLE"]
    assert definition(cmem_args={"weights": Data("float32", (9,))})["arguments"][-1]["symbol"] == "weights"


@pytest.mark.parametrize(("change", "message"), [
    ({"lang": "OpenCL"}, "lang='OpenCL' has no equivalent"), ({"lang": "HIP"}, "lang='HIP'"), ({"lang": "C"}, "lang='C'"),
    ({"lang": "Fortran"}, "lang='Fortran'"), ({"texmem_args": {"t": 1}}, "texmem_args= has no equivalent"),
    ({"parallel": True, "simulation_mode": True}, "parallel= and simulation_mode= exclude"), ({"compiler": "gcc"}, "compiler= has no equi"),
    ({"observers": [IterationObserver()]}, "IterationObserver, which has no eq"), ({"strategy": OwnStrategy()}, "a strategy of your own"),
    ({"observers": [BenchmarkObserver()]}, "BenchmarkObserver, which has no equivalent"), ({"strategy": "nsga2"}, "strategy='nsga2'"),
    ({"objectives": {"time": False, "GFLOP/s": True}}, "several objectives"), ({"objective": "x"}, "objective_higher_is_better="),
    ({"tune_params": {"block_size_x": [32], "nvml_gr_clock": [1]}}, "does not change the settings"),
    ({"arguments": ARGUMENTS[:2]}, "add has 4 parameters, and arguments= has 2"), ({"answer": [ARGUMENTS[0]]}, "answer= has 1 entries"),
    ({"arguments": [*ARGUMENTS[:3], 7]}, "argument 3 is int"), ({"restrictions": [7]}, "the restriction 7 has no equivalent"),
    ({"restrictions": ["tile > 99"]}, "no configuration meets all restrictions"),
    ({"restrictions": ["tile >"]}, "cannot be computed: invalid syntax"),
    ({"compiler_options": ["-arch=sm_90"]}, "compiles for the GPU that measures"), ({"simulation_mode": True}, "needs a cache file"),
    ({"smem_args": {"bank": 8}}, "expected 'size' alone"), ({"strategy_options": {"fraction": 0.1}}, "give max_fevals")])
def test_what_has_no_equivalent_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(warptune.InputError, match=message):
        tune(**change)


def test_other_entrances_are_refused_by_name() -> None:
    with pytest.raises(warptune.InputError, match="create_device_targets has no equivalent"):
        kernel_tuner.create_device_targets("a.h", "a.json")
    with pytest.raises(warptune.InputError, match="gr_voltage"):
        NVMLObserver(["gr_voltage"])
    with pytest.raises(warptune.InputError, match="save_all=True"):
        NVMLObserver(["temperature"], save_all=True)
    with pytest.raises(warptune.InputError, match="tune_kernel_T1 has no equivalent"):
        kernel_tuner.tune_kernel_T1("input.json")
    assert kernel_tuner.__version__ == "1.5.0"


@pytest.mark.parametrize(("module", "name"), [
    ("energy", "energy"), ("hyper", "tune_hyper_params"), ("searchspace", "Searchspace"), ("observers.pmt", "PMTObserver"),
    ("observers.tegra", "TegraObserver"), ("observers.powersensor", "PowerSensorObserver"), ("observers.nvml", "get_nvml_gr_clocks"),
    ("file_utils", "get_input_file"), ("strategies", "nsga2"), ("core", "DeviceInterface"), ("schema", "T1")])
def test_imports_without_an_equivalent_are_refused_by_name(module: str, name: str) -> None:
    with pytest.raises(warptune.InputError, match=rf"{module}\.{name} has no equivalent: "):
        exec(f"from warptune.compat.kernel_tuner.{module} import {name}")


@pytest.mark.parametrize(("module", "below"), [("backends", "nvcuda"), ("runners", "sequential"), ("utils", "directives")])
def test_packages_without_an_equivalent_are_refused_with_what_is_below(module: str, below: str) -> None:
    for imported in (f"from warptune.compat.kernel_tuner.{module} import {below}", f"import warptune.compat.kernel_tuner.{module}.{below}"):
        with pytest.raises(warptune.InputError, match=f"{module} has no equivalent: "):
            exec(imported)


def test_a_strategy_is_named_by_its_module() -> None:
    from warptune.compat.kernel_tuner.strategies import minimize
    assert search_of(minimize, None) == search_of("minimize", None)
    assert kernel_tuner.strategies.genetic_algorithm == "genetic_algorithm"
    with pytest.raises(AttributeError, match="no attribute 'quantum'"):
        kernel_tuner.strategies.__getattr__("quantum")


def test_a_function_may_write_more_sources_than_a_compiler_reads_at_once() -> None:
    texts = 40 * "// A long comment.\n"

    def written(values: dict[str, Any]) -> str:
        return f"{texts}// {values['tile']}\n{ADD}"
    described = description_of(options(tune_params={"block_size_x": [64], "tile": list(range(1, 101))}, kernel_source=written))
    assert "tile" not in str(described.definition["source"]) and len(described.definition["source"]) < 20_000
    folder = Path(described.kernel._readable[0])
    assert len(list(folder.glob("*.cu"))) == 100
    report = described.kernel.check(sample=2)
    assert report.passed, str(report)
    again = description_of(options(tune_params={"block_size_x": [64], "tile": list(range(1, 101))}, kernel_source=written))
    assert again.definition["source"] == described.definition["source"]  # Another folder would be another kernel.
    assert (folder.stat().st_mode & 0o777, folder.parent.parent.stat().st_mode & 0o777) == (0o700, 0o700)


def test_answers_and_functions_decide_what_is_right() -> None:
    numpy = pytest.importorskip("numpy")
    c, a = numpy.zeros(8, numpy.float32), numpy.arange(8, dtype=numpy.float32)
    answer = [2 * a, None, None]
    arguments = described([c, a, numpy.int32(8)], "__global__ void k(float* c, float* a, int n) {", "k", answer)
    assert [one.kind for one in arguments] == ["inout", "in", "scalar"]
    native = data_options(arguments, answer, None, 1e-6)
    assert (native["expected"]["a0"] == 2 * a).all() and set(native["inputs"]) == {"a0", "a1"} and "check" not in native
    asked: list[Any] = []

    def verify(expected: list[Any], found: list[Any]) -> bool:
        asked.append([None if one is None else one.shape for one in found])
        return bool(found[0][1] == 2)
    check = data_options(arguments, answer, verify, 1e-6)["check"]
    assert check({"a0": memoryview(2 * a)}) and not check({"a0": memoryview(a)}) and asked == [[(8,), None, None]] * 2
    close = data_options(arguments, [(2 * a).astype(numpy.float64), None, None], None, 1e-3)["check"]  # Another type than the argument's.
    assert close({"a0": memoryview(2 * a + numpy.float32(5e-4))}) and not close({"a0": memoryview(2 * a + numpy.float32(1e-2))})
    flags = described([numpy.array([True, False])], None, "k", None)
    assert flags[0].type == "u8" and inputs_of(flags)["a0"].tolist() == [1, 0]
    assert results_of(flags, {"a0": memoryview(bytes([0, 1]))})[0].tolist() == [False, True]


def test_an_empty_array_is_passed_as_one_zero() -> None:
    numpy = pytest.importorskip("numpy")
    empty = described([numpy.zeros((0, 3), numpy.float64)], None, "k", None)
    assert empty[0].table == {"name": "a0", "kind": "inout", "type": "f64", "count": "1"}
    passed = inputs_of(empty)["a0"]
    assert (passed.dtype, passed.tolist()) == (numpy.dtype("float64"), [0.0])
    assert results_of(empty, {"a0": memoryview(passed)})[0].shape == (0, 3)


def test_errors_of_outputs_have_kernel_tuners_names() -> None:
    numpy = pytest.importorskip("numpy")
    answer, output = numpy.array([1.0, -2.0, 0.0]), numpy.array([1.0, -1.0, 2.0], numpy.float32)
    names = ("MSE", "rmse", "NRMSE", "mean absolute error", "avg-rel", "max", "max_rel", "root mean square relative error")
    found = {name: metric_of(name, 0.5)(answer, output) for name in names}
    assert found == pytest.approx({"MSE": 5 / 3, "rmse": (5 / 3) ** 0.5, "NRMSE": 1.0, "mean absolute error": 1.0, "avg-rel": 4.5 / 3,
                                   "max": 2.0, "max_rel": 4.0, "root mean square relative error": (16.25 / 3) ** 0.5})
    assert metric_of("MALE", 0.0)(numpy.array([1.0, 100.0]), numpy.array([10.0, 10.0])) == pytest.approx(1.0)
    assert metric_of("RMSLE", 0.0)(numpy.array([1.0, 1.0]), numpy.array([1.0, 100.0])) == pytest.approx(2 ** 0.5)
    with pytest.raises(warptune.InputError, match="has no such error: expected one of mse, rmse"):
        metric_of("worst", 1e-8)
    observer = AccuracyObserver(lambda expected, given: float(given[0] - expected[0]), "difference")
    observer.process_output([None, [1.0], [2.0]], [[9.0], [3.0], [3.0]])
    assert observer.get_results() == {"difference": 2.0}


def test_observers_and_strategies_are_named_as_in_warptune() -> None:
    observers = [RegisterObserver(), NVMLObserver(["nvml_energy"]), NCUObserver(["dram__bytes.sum"])]
    wanted = observed_by([*observers, NVMLObserver(["temperature", "core_freq", "mem_freq"])])
    assert wanted.columns == {"num_regs": "registers_per_thread", "nvml_energy": "energy_j", "dram__bytes.sum": "dram__bytes.sum",
                              "core_freq": "sm_clock_mhz"}
    assert (wanted.metrics, wanted.readings) == (["energy_j", "dram__bytes.sum"], ["temperature", "mem_freq"])
    assert search_of(None, None).budget == "all"
    assert (search_of("genetic_algorithm", None).strategy, search_of("genetic_algorithm", None).budget) == ("genetic", "2000")
    assert search_of("random_sample", {"max_fevals": 7}).budget == "7"
    assert search_of("pso", {"time_limit": 90}).budget == "90.000s"
    with pytest.warns(warptune.TuningWarning, match="popsize"):
        search_of("genetic_algorithm", {"popsize": 8, "max_fevals": 9})
