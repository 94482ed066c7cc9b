"""Observers that have an equivalent in warptune. They choose what is read in addition to the time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...._errors import InputError


class BenchmarkObserver:
    """The base of observers. One that a program defines itself is refused, because launches run in other processes."""


class IterationObserver(BenchmarkObserver):
    """A base of observers."""


class ContinuousObserver(BenchmarkObserver):
    """A base of observers."""


class OutputObserver(BenchmarkObserver):
    """A base of observers of outputs. When a session has ended, each configuration with a time is launched once more for them."""

    def process_output(self, answers: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Takes the outputs of a launch, and the entries of `answer`, both in the order of the arguments. Must be defined."""
        raise NotImplementedError(f"{type(self).__name__} has no process_output")

    def get_results(self) -> dict[str, Any]:
        """The entries of a result, after `process_output`."""
        return {}


class PrologueObserver(BenchmarkObserver):
    """A base of observers."""


class RegisterObserver(BenchmarkObserver):
    """The registers of a thread: `num_regs`."""


class NVMLObserver(BenchmarkObserver):
    """What NVML says of the GPU while a configuration is measured.

    `nvml_energy` is the energy of a launch in joules, `nvml_power` its power in watts, `core_freq` and `mem_freq` are the clocks in MHz,
    and `temperature` is in degrees Celsius. Raises `InputError` for another quantity.
    """

    def __init__(self, observables: Iterable[str], device: int | None = None, save_all: bool = False,
                 nvidia_smi_fallback: str | None = None, use_locked_clocks: bool = False, continuous_duration: float = 1) -> None:
        self.observables = list(observables)
        unknown = next((one for one in self.observables if one not in NVML and one not in READ), None)
        if unknown:
            raise InputError(f"NVMLObserver({unknown!r}) has no equivalent: expected {', '.join([*NVML, *READ])}")
        if save_all:
            raise InputError("NVMLObserver(save_all=True) has no equivalent: warptune keeps one value for a configuration")


class NCUObserver(PrologueObserver):
    """Hardware counters by their names in CUPTI, such as `dram__bytes.sum`."""

    def __init__(self, metrics: Iterable[str] | None = None, device: int = 0) -> None:
        self.metrics = list(metrics or ())


NVML = {"nvml_energy": "energy_j", "nvml_power": "power_w", "core_freq": "sm_clock_mhz"}
"""warptune's names of the quantities that its workers read from NVML."""
READ = ("temperature", "mem_freq")
"""The quantities that this process reads from NVML while a session runs."""
COUNTED_ALWAYS = ("registers_per_thread", "sm_clock_mhz")
"""Columns that rows have without being asked for."""


@dataclass
class Observed:
    """What observers ask for."""

    columns: dict[str, str] = field(default_factory=dict)
    """The columns of rows by their names in Kernel Tuner."""
    readings: list[str] = field(default_factory=list)
    """Quantities among `READ`."""
    of_outputs: list[OutputObserver] = field(default_factory=list)
    """Observers that take the outputs of one more launch."""

    @property
    def names(self) -> list[str]:
        """The entries that a result gets."""
        return [*self.columns, *self.readings]

    @property
    def metrics(self) -> list[str]:
        """The metrics that a session has to measure."""
        return [column for column in self.columns.values() if column not in COUNTED_ALWAYS]


def observed_by(observers: Iterable[Any] | None) -> Observed:
    """What observers ask for. Raises `InputError` for those without an equivalent."""
    wanted = Observed()
    for one in observers or ():
        if isinstance(one, RegisterObserver):
            wanted.columns["num_regs"] = "registers_per_thread"
        elif isinstance(one, NVMLObserver):
            wanted.columns |= {name: NVML[name] for name in one.observables if name in NVML}
            wanted.readings += [name for name in one.observables if name in READ]
        elif isinstance(one, NCUObserver):
            wanted.columns |= {name: name for name in one.metrics}
        elif isinstance(one, OutputObserver):
            wanted.of_outputs.append(one)
        else:
            name = type(one).__name__ if not callable(one) or isinstance(one, BenchmarkObserver) else "a function that makes an observer"
            raise InputError(f"observers= has {name}, which has no equivalent: expected RegisterObserver, NVMLObserver, NCUObserver or "
                             f"OutputObserver of warptune.compat.kernel_tuner.observers")
    return wanted


__all__ = ["BenchmarkObserver", "ContinuousObserver", "IterationObserver", "NCUObserver", "NVMLObserver", "Observed", "OutputObserver",
           "PrologueObserver", "RegisterObserver", "observed_by"]
