"""Reads a GPU's temperature and memory clock from NVML while a session runs.

Workers measure, and this process reads at the same time. NVML's values belong to the GPU and not to a process, so they also hold for the
workers.
"""

import bisect
import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..._errors import MachineError

LIBRARY = "libnvidia-ml.so.1"
INTERVAL_S = 0.02
MEMORY_CLOCK = 2
"""NVML_CLOCK_MEM of nvmlClockType_t."""


def _visible(device: int) -> int | bytes:
    """The index by which NVML finds a device of CUDA, or its UUID if CUDA_VISIBLE_DEVICES has UUIDs."""
    listed = [one.strip() for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one.strip()]
    if device >= len(listed):
        return device
    return int(listed[device]) if listed[device].isdigit() else listed[device].encode()


def _opened(device: int) -> tuple[Any, ctypes.c_void_p]:
    """Loads NVML. Returns it, and its handle of a GPU."""
    try:
        nvml: Any = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise MachineError(f"{LIBRARY} of NVIDIA's driver is needed: {error}") from None
    handle, chosen = ctypes.c_void_p(), _visible(device)
    find = nvml.nvmlDeviceGetHandleByUUID if isinstance(chosen, bytes) else nvml.nvmlDeviceGetHandleByIndex_v2
    if nvml.nvmlInit_v2() != 0 or find(chosen, ctypes.byref(handle)) != 0:
        raise MachineError(f"NVML does not know GPU {device}")
    if isinstance(chosen, int) and os.environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID" and len(_all_names(nvml)) > 1:
        raise MachineError(f"NVML's GPU {device} may be another one than CUDA's, because this machine has several models: set "
                           "CUDA_DEVICE_ORDER=PCI_BUS_ID")
    return nvml, handle


def _name_of(nvml: Any, handle: ctypes.c_void_p) -> str:
    """The name of a GPU. An empty text if NVML does not say it."""
    text = ctypes.create_string_buffer(96)
    return text.value.decode() if nvml.nvmlDeviceGetName(handle, text, len(text)) == 0 else ""


def _all_names(nvml: Any) -> set[str]:
    """The GPU models of this machine. With several, CUDA and NVML may number the GPUs differently: fastest first, or by the bus."""
    count, handle = ctypes.c_uint(), ctypes.c_void_p()
    if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return set()
    return {_name_of(nvml, handle) for at in range(count.value) if nvml.nvmlDeviceGetHandleByIndex_v2(at, ctypes.byref(handle)) == 0}


def reader_of(device: int) -> Callable[[str], float | None]:
    """A function that reads a quantity now: `temperature` (degrees Celsius) or `mem_freq` (MHz). It returns None if NVML refuses.

    Raises `MachineError` if NVML does not load or does not know the GPU.
    """
    nvml, handle = _opened(device)

    def read(name: str) -> float | None:
        value = ctypes.c_uint()
        if name == "temperature":
            code = nvml.nvmlDeviceGetTemperature(handle, 0, ctypes.byref(value))
        else:
            code = nvml.nvmlDeviceGetClockInfo(handle, MEMORY_CLOCK, ctypes.byref(value))
        return float(value.value) if code == 0 else None
    return read


class Readings:
    """Reads some quantities every `INTERVAL_S` seconds while the block of `with` runs."""

    def __init__(self, names: Sequence[str], device: Any) -> None:
        """Reads nothing if `names` is empty. Raises `MachineError` as `reader_of` does."""
        self._names = list(dict.fromkeys(names))
        self._read = reader_of(device if isinstance(device, int) else 0) if names else None
        self._taken: list[tuple[float, dict[str, float]]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Readings":
        if self._read is not None:
            self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        if self._read is not None:
            self._thread.join()

    def _watch(self) -> None:
        while True:
            self._take(1e3 * time.time())
            if self._ended.wait(INTERVAL_S):
                return self._take(1e3 * time.time())  # A short block has at least two readings, of which the first may fail.

    def _take(self, now_ms: float) -> None:
        assert self._read is not None
        read = {name: self._read(name) for name in self._names}
        held = {name: value for name, value in read.items() if value is not None}
        if held:
            self._taken.append((now_ms, held))

    def mean(self, begin_ms: float, end_ms: float) -> dict[str, float]:
        """The means between two times of day, or the nearest reading if there is none between them."""
        if not self._taken:
            return {}
        first = bisect.bisect_left(self._taken, begin_ms, key=lambda one: one[0])
        after = bisect.bisect_right(self._taken, end_ms, key=lambda one: one[0])
        within = [held for _, held in self._taken[first:after]]
        if not within:
            within = [min(self._taken[max(after - 1, 0):after + 1], key=lambda one: abs(one[0] - end_ms))[1]]
        found = {name: [held[name] for held in within if name in held] for name in self._names}
        return {name: sum(values) / len(values) for name, values in found.items() if values}


def gpu_name(device: int) -> str:
    """The name of a GPU. Raises `MachineError` as `reader_of` does."""
    nvml, handle = _opened(device)
    name = _name_of(nvml, handle)
    if not name:
        raise MachineError(f"NVML does not say the name of GPU {device}")
    return name
