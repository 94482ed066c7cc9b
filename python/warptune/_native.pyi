from collections.abc import Callable, Sequence

from typing_extensions import CapsuleType
from warptune.results import Match


version: str = ...

def printable(text: str) -> str:
    """The text, with escapes for characters that must not reach a terminal."""

def in_python(text: str) -> str:
    """A message of the command line, in the words of the package."""

class KernelSource:
    """A kernel, its problem, and what its definition may do."""

    def __init__(self, kernel: str, readable: Sequence[str], trusted: bool, sizes: dict) -> None: ...

    @property
    def kernel(self) -> str: ...

def shipped_kernels() -> list[str]:
    """The names of the shipped kernels, sorted."""

def set_worker_program(path: str) -> None:
    """The program that workers of a session run."""

class KernelSpace:
    """The space of a kernel for one problem."""

    def __init__(self, source: KernelSource) -> None: ...

    @property
    def size(self) -> int: ...

    @property
    def is_exact(self) -> bool: ...

    @property
    def estimated_size(self) -> float: ...

    @property
    def kernel(self) -> str: ...

    @property
    def problem(self) -> dict: ...

    @property
    def default(self) -> dict: ...

    @property
    def parameters(self) -> list[tuple[str, list[bool | int | float | str]]]: ...

    @property
    def constraints(self) -> list[str]: ...

    def at(self, index: int) -> dict | None: ...

    def index_of(self, configuration: dict) -> int | None: ...

    def why_not(self, configuration: dict) -> list[str]: ...

    def neighbours(self, configuration: dict, adjacent: bool) -> list: ...

    def sample(self, count: int, seed: int) -> list: ...

class OwnData:
    """Copies of arrays that a tuning uses."""

    def __init__(self) -> None: ...

    def add_array(self, argument: str, expected: bool, array: object, type: str) -> None: ...

    def add_memory(self, argument: str, expected: bool, type: str, address: int, bytes: int, device: int | None) -> None: ...

def buffers(source: KernelSource) -> list[tuple[str, str]]:
    """The name and the kind of each input and output."""

class MeasuringChoice:
    """How configurations are measured."""

    def __init__(self, cache: str | None, device: str, jobs: int, timeout_s: float | None, database: str | None) -> None: ...

class SearchChoice:
    """How a space is searched."""

    def __init__(self) -> None: ...

    @property
    def budget(self) -> str: ...

    @budget.setter
    def budget(self, arg: str, /) -> None: ...

    @property
    def until(self) -> str: ...

    @until.setter
    def until(self, arg: str, /) -> None: ...

    @property
    def strategy(self) -> str: ...

    @strategy.setter
    def strategy(self, arg: str, /) -> None: ...

    @property
    def objective(self) -> str: ...

    @objective.setter
    def objective(self, arg: str, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def metrics(self) -> str: ...

    @metrics.setter
    def metrics(self, arg: str, /) -> None: ...

    @property
    def count(self) -> str: ...

    @count.setter
    def count(self, arg: str, /) -> None: ...

    @property
    def fresh(self) -> bool: ...

    @fresh.setter
    def fresh(self, arg: bool, /) -> None: ...

    @property
    def transfer(self) -> bool: ...

    @transfer.setter
    def transfer(self, arg: bool, /) -> None: ...

    @property
    def thorough(self) -> bool: ...

    @thorough.setter
    def thorough(self, arg: bool, /) -> None: ...

    @property
    def reproducible(self) -> str | None: ...

    @reproducible.setter
    def reproducible(self, demand: str | None) -> None: ...

    @property
    def replay(self) -> str | None: ...

    @replay.setter
    def replay(self, path: str | None) -> None: ...

    @property
    def measure(self) -> bool: ...

    @measure.setter
    def measure(self, arg: bool, /) -> None: ...

def tune(source: KernelSource, measuring: MeasuringChoice, search: SearchChoice, own: OwnData | None, check: Callable | None, listen: Callable) -> tuple[str, str]: ...

def check(source: KernelSource, sample: int | None, seed: int, jobs: int, listen: Callable) -> tuple[str, str]: ...

def explain(source: KernelSource, measuring: MeasuringChoice, gpu: str | None, from_: dict, to: dict, measure: bool, listen: Callable) -> tuple[str, str]: ...

def profile(source: KernelSource, measuring: MeasuringChoice, gpu: str | None, changes: dict, from_default: bool, stored: bool, hot_lines: bool, listen: Callable) -> tuple[str, str]: ...

class RowTable:
    """Rows of a workload as columns."""

    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> list[str]: ...

    def values(self, name: str) -> list:
        """The values of a column. The value is None if a row has none."""

    @property
    def samples_ns(self) -> list[list[float]]: ...

    def __getstate__(self) -> tuple[int, list[tuple[str, str, bytes, int, bytes, bytes]], list[list[float]]]: ...

    def __setstate__(self, state: tuple[int, Sequence[tuple[str, str, bytes, int, bytes, bytes]], Sequence[Sequence[float]]]) -> None: ...

    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> CapsuleType: ...

def query(source: KernelSource, objective: str, cache: str, gpu: str | None, strict: bool, reproducible: str | None, database: str | None) -> str: ...

def results(source: KernelSource, gpu: str | None, cache: str | None, database: str | None) -> RowTable: ...

def session_results(source: KernelSource, session: int, database: str | None) -> RowTable: ...

def plot(source: KernelSource, name: str, gpu: str | None, cache: str | None, database: str | None) -> str: ...

def report_page(source: KernelSource, gpu: str | None, cache: str | None, database: str | None, with_source: bool) -> str: ...

class LoadedArgument:
    """An argument of a call of a loaded kernel."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """"in", "out", "inout" or "scalar"."""

    @property
    def dtype(self) -> str:
        """The type as definitions name it: "f32"."""

    @property
    def bytes(self) -> int:
        """The minimum size of an array; the size of a scalar."""

    @property
    def alignment(self) -> int:
        """An array's address is a multiple of it; in bytes."""

    @property
    def is_fixed(self) -> bool:
        """The problem decides the value, so calls may leave it out."""

class LoadedKernel:
    """
    The best known configuration of a kernel. Calling the object launches it.
    """

    def __call__(self, *arguments: object, stream: object = None, **named: object) -> None:
        """Launches the kernel on arrays of a device. `Kernel.load` explains the arguments."""

    @property
    def kernel(self) -> str: ...

    @property
    def problem(self) -> dict[str, bool | int | float | str]:
        """The problem for which the kernel was loaded."""

    @property
    def configuration(self) -> dict[str, bool | int | float | str]:
        """The configuration that was found for the problem."""

    @property
    def match(self) -> Match:
        """How well the configuration fits, as `Kernel.best` returns it."""

    @property
    def arguments(self) -> list[LoadedArgument]:
        """The arguments that calls pass, in order."""

    @property
    def workspace_bytes(self) -> int:
        """The size of the memory that a launch needs besides its arguments."""

    @property
    def device(self) -> int: ...

    @property
    def state(self) -> str:
        """
        What runs: "selected", the "default" until the selected code is compiled, or the default as a "fallback" if it cannot be.
        """

    def wait(self) -> None:
        """
        Waits until the selected configuration runs. Raises `WorkError` with the reason if it cannot.
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> str | tuple[object, ...]: ...

def load(source: KernelSource, device: int | None, objective: str, cache: str, strict: bool, reproducible: str | None, in_background: bool, database: str | None) -> LoadedKernel: ...

def signature(source: KernelSource) -> list[LoadedArgument]: ...

def finish_loading() -> None: ...
