"""Observers that have an equivalent. They say what is read beside the time."""

from collections.abc import Iterable
from typing import Any

from ...._errors import InputError


class BenchmarkObserver:
    """The base of observers. One that a program defines itself is refused, because launches run in other processes."""


class RegisterObserver(BenchmarkObserver):
    """The registers of a thread: `num_regs`."""


class NVMLObserver(BenchmarkObserver):
    """The energy of a launch in joules (`nvml_energy`) and the power in watts (`nvml_power`)."""

    def __init__(self, observables: Iterable[str], *arguments: Any, **options: Any) -> None:
        self.observables = list(observables)
        unknown = next((one for one in self.observables if one not in NVML), None)
        if unknown:
            raise InputError(f"NVMLObserver({unknown!r}) has no equivalent: expected {', '.join(NVML)}")


class NCUObserver(BenchmarkObserver):
    """Hardware counters by their names in CUPTI, such as `dram__bytes.sum`."""

    def __init__(self, metrics: Iterable[str] | None = None, device: int = 0) -> None:
        self.metrics = list(metrics or ())


NVML = {"nvml_energy": "energy_j", "nvml_power": "power_w"}
"""warptune's names of what NVML says."""


def columns_of(observers: Iterable[Any] | None) -> dict[str, str]:
    """The columns of results that observers ask for, by their names in Kernel Tuner. Raises `InputError` for other observers."""
    columns: dict[str, str] = {}
    for one in observers or ():
        if isinstance(one, RegisterObserver):
            columns["num_regs"] = "registers_per_thread"
        elif isinstance(one, NVMLObserver):
            columns |= {name: NVML[name] for name in one.observables}
        elif isinstance(one, NCUObserver):
            columns |= {name: name for name in one.metrics}
        else:
            name = type(one).__name__ if not callable(one) or isinstance(one, BenchmarkObserver) else "a function that makes an observer"
            raise InputError(f"observers= has {name}, which has no equivalent: expected RegisterObserver, NVMLObserver or NCUObserver of "
                             f"warptune.compat.kernel_tuner.observers")
    return columns


__all__ = ["BenchmarkObserver", "NCUObserver", "NVMLObserver", "RegisterObserver", "columns_of"]
