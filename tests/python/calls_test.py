"""Loaded kernels without a GPU: a libcuda that launches nothing, and arrays that are only addresses.

tests/python/gpu has the tests with a GPU and with PyTorch and CuPy themselves."""

import ctypes
import multiprocessing
import os
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest

import warptune

N = 1024
HOST, OTHER_DEVICE = 64, 1 << 50
"""What the libcuda of the tests takes these addresses for."""
ARGUMENTS = [{"name": "x", "kind": "in", "type": "f32", "count": "N"}, {"name": "y", "kind": "inout", "type": "f32", "count": "N"},
             {"name": "a", "kind": "scalar", "type": "f32", "value": "2.0"}, {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}]


def saxpy(**changes: Any) -> warptune.Kernel:
    return warptune.Kernel(**{
        "name": "called", "entry": "saxpy", "problem": {"N": N}, "parameters": {"BLOCK": [128, 256]}, "default": {"BLOCK": 256},
        "source": """
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  const int at = blockIdx.x * BLOCK + threadIdx.x;
  if (at < n) y[at] += a * x[at];
}
""",
        "launch": {"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        "arguments": ARGUMENTS,
        "check": {"reference": "expression", "expression": "y[i] + 2.0f * x[i]"}, **changes})


class Array:
    """An object that has only `__cuda_array_interface__`."""

    def __init__(self, address: int = 1 << 20, count: int = N, typestr: str = "<f4", **more: object) -> None:
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": typestr, "data": (address, False), "version": 3, **more}


@pytest.fixture(scope="module")
def fn() -> warptune.LoadedKernel:
    warptune.Kernel("transpose").tune(budget=3, replay=_recording())  # There is a database then.
    return saxpy().load()


def _recording() -> Path:
    return Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"


def refusal(call: Callable[[], object], kind: type[Exception] = warptune.InputError) -> str:
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text and ". " not in text, "an error is one sentence"
    return text


def test_without_a_database_the_default_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    fn = saxpy().load()
    assert fn.configuration == {"BLOCK": 256} and fn.match.match == "default" and fn.match.best is None
    assert fn.match.reason
    assert not list(tmp_path.iterdir()), "load writes nothing"
    assert "nothing is stored of called; call Kernel.tune" in refusal(lambda: saxpy().load(strict=True), warptune.WorkError)


def test_a_database_that_is_named_but_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert "call Kernel.tune first" in refusal(lambda: saxpy().load(db=tmp_path / "none.db"))


def test_a_loaded_kernel_says_what_it_is(fn: warptune.LoadedKernel) -> None:
    assert fn.kernel == "called"
    assert fn.problem == {"N": N}
    assert fn.configuration == {"BLOCK": 256}
    assert fn.match.match == "default"
    assert [(one.name, one.kind, one.dtype, one.bytes) for one in fn.arguments] == [
        ("x", "in", "f32", 4 * N), ("y", "inout", "f32", 4 * N), ("a", "scalar", "f32", 4), ("n", "scalar", "i32", 4)]
    assert [one.is_fixed for one in fn.arguments] == [False, False, False, True]
    assert fn.arguments[0].alignment == 16
    assert (fn.workspace_bytes, fn.device, fn.state) == (0, 0, "selected")
    assert repr(fn) == "<warptune.LoadedKernel called (N=1024): BLOCK=256>"


def test_arguments_are_passed_in_order_or_by_name(fn: warptune.LoadedKernel) -> None:
    x, y = Array(), Array()
    for call in (lambda: fn(x, y), lambda: fn(x, y, 2), lambda: fn(x, y, 2.0, N), lambda: fn(x, y=y), lambda: fn(y=y, x=x, n=N),
                 lambda: fn(x, y, a=None), lambda: fn(x, y, n=N), lambda: fn(x, y, stream=None)):
        assert call() is None  # type: ignore[no-untyped-call]


def test_wrong_numbers_of_arguments_are_refused(fn: warptune.LoadedKernel) -> None:
    x, y = Array(), Array()
    assert "expected 4 arguments (x, y, a, n (may be left out)), found 1" in refusal(lambda: fn(x))
    assert "found 5" in refusal(lambda: fn(x, y, 1.0, N, N))
    assert "no argument \"z\"" in refusal(lambda: fn(x, y, z=1))
    assert "found 4" in refusal(lambda: fn(x, y, 2.0, N, a=2.0))
    assert "found 0" in refusal(lambda: fn())
    for wrong in (lambda: fn(y, x=x), lambda: fn(y, 2.0, x=x), lambda: fn(y, 2.0, N, x=x)):
        assert "\"x\" is given by its name, and arguments after it by position" in refusal(wrong)


def test_wrong_arrays_are_refused(fn: warptune.LoadedKernel) -> None:
    good = Array()
    for wrong, part in [(Array(typestr="<f8"), "type f32, found <f8"), (Array(count=N - 1), "at least 4096 bytes, found 4092"),
                        (Array(address=(1 << 20) + 4), "multiple of 16"), (Array(strides=(8,)), "contiguous"),
                        (Array(address=HOST), "memory of the host"), (Array(address=OTHER_DEVICE), "memory of device 1"),
                        (Array(address=0), "null"), (object(), "found object"), (None, "NoneType"), ([1.0], "list")]:
        text = refusal(lambda wrong=wrong: fn(good, wrong))  # type: ignore[misc]
        assert part in text and "argument 2 (\"y\")" in text
    fn(good, good)


def test_only_inputs_may_be_read_only(fn: warptune.LoadedKernel) -> None:
    fixed = Array(data=(1 << 20, True))
    fn(fixed, Array())
    assert "read-only" in refusal(lambda: fn(Array(), fixed))


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DlVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DlTensor)]


def capsule_of(memory: ctypes.Structure, name: bytes) -> object:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(memory), name, None)


class Exchange:
    """An object with DLPack 1. It notes what it was asked for."""

    def __init__(self, code: int = 2, bits: int = 32, count: int = N, flags: int = 0, major: int = 1, address: int = 1 << 20) -> None:
        self._shape = (ctypes.c_int64 * 1)(count)
        self._memory = DlVersioned(major=major, flags=flags, tensor=DlTensor(
            data=address, device_type=2, ndim=1, code=code, bits=bits, lanes=1, shape=self._shape))
        self.asked: list[dict[str, object]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **asked: object) -> object:
        self.asked.append(asked)
        return capsule_of(self._memory, b"dltensor_versioned")


class OldExchange(Exchange):
    """DLPack before version 1: it has neither versions nor flags."""

    def __dlpack__(self, stream: object = None) -> object:  # type: ignore[override]
        self.asked.append({"stream": stream})
        return capsule_of(self._memory.tensor, b"dltensor")


class JaxArray(OldExchange):
    """An array of JAX: its interface names no stream, and its DLPack has no flag for an array that never changes."""

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return {"shape": (N,), "typestr": "<f4", "data": (1 << 20, True), "version": 2}


JaxArray.__module__ = "jaxlib._jax"


def test_dlpack_is_asked_for_its_first_version_with_the_stream_of_the_launch(fn: warptune.LoadedKernel) -> None:
    x, old = Exchange(), OldExchange()
    fn(x, old)
    fn(x, old, stream=4096)
    assert x.asked == [{"stream": stream, "max_version": (1, 0)} for stream in (1, 4096)]
    assert old.asked == [{"stream": stream} for stream in (1, 4096)]


def test_wrong_arrays_of_dlpack_are_refused(fn: warptune.LoadedKernel) -> None:
    good = Exchange()
    for wrong, part in [(Exchange(bits=64), "64 bits"), (Exchange(code=0), "32 bits"), (Exchange(count=4), "found 16"),
                        (Exchange(flags=1), "read-only"), (Exchange(major=2), "version 2")]:
        assert part in refusal(lambda wrong=wrong: fn(good, wrong))  # type: ignore[misc]
    fn(Exchange(flags=1), good)  # An input may be read-only.

    class Refusing(Exchange):
        def __dlpack__(self, **asked: object) -> object:
            raise BufferError("it is deleted")
    assert "it is deleted" in refusal(lambda: fn(Refusing(), good))

    class OldRefusing(Exchange):
        def __dlpack__(self, stream: object = None) -> object:  # type: ignore[override]
            raise BufferError("it is deleted")
    assert "it is deleted" in refusal(lambda: fn(OldRefusing(), good))
    for device in ([2, 0], (2,), None, 2):
        class Elsewhere(Exchange):
            def __dlpack_device__(self, device: Any = device) -> Any:
                return device
        assert "__dlpack_device__ is not a tuple of two numbers" in refusal(lambda: fn(Elsewhere(), good))


def test_an_interface_without_a_stream_leaves_the_waiting_to_dlpack(fn: warptune.LoadedKernel) -> None:
    x = JaxArray()
    fn(x, Exchange(), stream=4096)
    assert x.asked == [{"stream": 4096}]

    class Both(Exchange):
        def __init__(self) -> None:
            super().__init__()
            self.__cuda_array_interface__ = Array(stream=8192).__cuda_array_interface__
    both = Both()
    fn(both, Exchange())
    assert both.asked == []


def test_an_array_of_jax_is_never_written(fn: warptune.LoadedKernel) -> None:
    assert "read-only" in refusal(lambda: fn(Exchange(), JaxArray()))


class StridedMemoryView:
    """What calls read of a view of cuda.core, which has no protocol."""

    def __init__(self, dtype: str = "<f4", **changes: object) -> None:
        vars(self).update({"ptr": 1 << 20, "shape": (32, N // 32), "strides": None, "device_id": 0, "is_device_accessible": True,
                           "readonly": False, "exporting_obj": None, "dtype": types.SimpleNamespace(str=dtype), **changes})


def test_views_of_cuda_core_are_arrays(fn: warptune.LoadedKernel) -> None:
    good = StridedMemoryView(strides=(N // 32, 1))
    fn(StridedMemoryView(readonly=True), good)
    for wrong, part in [(StridedMemoryView("<f8"), "found <f8"), (StridedMemoryView(strides=(1, 32)), "contiguous"),
                        (StridedMemoryView(shape=(4,)), "found 16"), (StridedMemoryView(readonly=True), "read-only"),
                        (StridedMemoryView(ptr=OTHER_DEVICE), "device 1"),
                        (StridedMemoryView(is_device_accessible=False, device_id=-1), "host")]:
        assert part in refusal(lambda wrong=wrong: fn(good, wrong))  # type: ignore[misc]
    untyped = StridedMemoryView()
    untyped.dtype = None  # type: ignore[attr-defined]
    assert "found a view without one" in refusal(lambda: fn(good, untyped))

    class Interrupted:
        @property
        def ptr(self) -> int:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        fn(good, Interrupted())


def test_buffers_of_cuda_core_have_bytes_of_any_type(fn: warptune.LoadedKernel) -> None:
    class Buffer(Exchange):
        memory_resource = None

    fn(Buffer(code=0, bits=8, count=4 * N), Buffer(code=0, bits=8, count=4 * N))
    assert "at least 4096 bytes, found 4092" in refusal(lambda: fn(Buffer(code=0, bits=8, count=4 * N - 4), Exchange()))
    assert "8 bits" in refusal(lambda: fn(Exchange(code=0, bits=8, count=4 * N), Exchange()))  # An array of i8.


def test_wrong_scalars_are_refused(fn: warptune.LoadedKernel) -> None:
    x, y = Array(), Array()
    assert "follows from the problem" in refusal(lambda: fn(x, y, 2.0, N + 1))
    assert "range of the type i32" in refusal(lambda: fn(x, y, 2.0, 1 << 31))
    assert "an int" in refusal(lambda: fn(x, y, 2.0, 1024.0))
    assert "a number" in refusal(lambda: fn(x, y, "2"))


def test_streams_are_numbers_or_objects(fn: warptune.LoadedKernel) -> None:
    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, 4096

    for stream in (0, 1, 2, 4096, Protocol(), types.SimpleNamespace(cuda_stream=4096), types.SimpleNamespace(ptr=4096),
                   types.SimpleNamespace(handle=types.SimpleNamespace(value=4096))):
        fn(Array(), Array(stream=8192), stream=stream)
    assert "a stream or its address, found str" in refusal(lambda: fn(Array(), Array(), stream="fast"))


class Tensor:
    """What calls read of a tensor of PyTorch."""

    def __init__(self, address: int = 1 << 20, dtype: str = "float32", device: int = 0, contiguous: bool = True,
                 requires_grad: bool = False, count: int = N) -> None:
        self.address, self.dtype, self.device_index, self.contiguous, self.count = address, DTYPES[dtype], device, contiguous, count
        self.requires_grad = requires_grad
        self.recorded: list[object] = []

    def data_ptr(self) -> int:
        return self.address

    def get_device(self) -> int:
        return self.device_index

    def is_contiguous(self) -> bool:
        return self.contiguous

    def numel(self) -> int:
        return self.count

    def record_stream(self, stream: object) -> None:
        self.recorded.append(stream)


DTYPES = {name: types.SimpleNamespace(name=name) for name in (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")}
STATE = types.SimpleNamespace(stream=0, grad=True, workspaces=[])


class Stream:
    cuda_stream = 16384


class ExternalStream:
    made = 0

    def __init__(self, address: int, device: int) -> None:
        self.address = address
        ExternalStream.made += 1


@pytest.fixture
def torch() -> Iterator[None]:
    """A module of PyTorch's name. The extension keeps what it once found, so all tests have the same."""
    def allocate(size: int, stream: int) -> int:
        STATE.workspaces.append((size, stream))
        return 1 << 30

    sys.modules.setdefault("torch", types.ModuleType("torch"))
    vars(sys.modules["torch"]).update(
        DTYPES, Tensor=Tensor, compile=None, is_grad_enabled=lambda: STATE.grad,
        nn=types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {})),
        cuda=types.SimpleNamespace(Stream=Stream, ExternalStream=ExternalStream),
        _C=types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: STATE.stream, _cuda_cudaCachingAllocator_raw_alloc=allocate,
                                 _cuda_cudaCachingAllocator_raw_delete=lambda address: STATE.workspaces.append(address)))
    yield
    STATE.stream, STATE.grad = 0, True
    STATE.workspaces.clear()


def test_tensors_are_read_by_their_attributes(fn: warptune.LoadedKernel, torch: None) -> None:
    good = Tensor()
    fn(good, good)
    for wrong, part in [(Tensor(dtype="float16"), "f32"), (Tensor(device=-1), "host"), (Tensor(device=1), "device 1"),
                        (Tensor(contiguous=False), "contiguous"), (Tensor(count=4), "found 16"), (Tensor(address=1), "multiple"),
                        (Tensor(requires_grad=True), "no_grad")]:
        assert part in refusal(lambda wrong=wrong: fn(wrong, good))  # type: ignore[misc]
    STATE.grad = False
    fn(Tensor(requires_grad=True), good)
    assert "host's memory" in refusal(lambda: fn(good, good, good))  # Its element would have to be read from the GPU.


def test_a_tensor_on_another_stream_is_recorded(fn: warptune.LoadedKernel, torch: None) -> None:
    x, y = Tensor(), Tensor()
    fn(x, y)
    fn(x, y, stream=0)
    assert x.recorded == []
    fn(x, y, stream=4096)
    recorded, = x.recorded
    assert isinstance(recorded, ExternalStream) and recorded.address == 4096
    STATE.stream = 4096
    fn(x, y, stream=4096)
    assert len(x.recorded) == len(y.recorded) == 1


def test_the_stream_of_an_address_is_made_once(fn: warptune.LoadedKernel, torch: None) -> None:
    x, y = Tensor(), Tensor()
    before = ExternalStream.made
    for address in (8192, 12288, 8192, 12288):
        fn(x, y, stream=address)
    assert ExternalStream.made == before + 2
    assert [one.address for one in x.recorded] == [one.address for one in y.recorded] == [8192, 12288, 8192, 12288]
    own = Stream()
    fn(x, y, stream=own)
    assert x.recorded[-1] is own and ExternalStream.made == before + 2


def with_workspace() -> warptune.Kernel:
    return saxpy(name="called_with_workspace", entry="copied", source="""
extern "C" __global__ void copied(float* x, float* kept, float a, int n) {
  const int at = blockIdx.x * BLOCK + threadIdx.x;
  if (at < n) kept[at] = a * x[at];
}
""", arguments=[{**ARGUMENTS[1], "name": "x"}, {**ARGUMENTS[0], "name": "kept", "kind": "scratch"}, *ARGUMENTS[2:]],
                 check={"reference": "expression", "expression": "x[i]"})


def test_a_workspace_comes_from_the_library_of_the_tensors(fn: warptune.LoadedKernel, torch: None) -> None:
    copied = with_workspace().load()
    assert copied.workspace_bytes == 4 * N
    STATE.stream = 4096
    copied(Tensor())
    assert STATE.workspaces == [(4 * N, 4096), 1 << 30]
    copied(Array())  # The kernel's own.
    assert len(STATE.workspaces) == 2


def test_loads_of_the_same_code_work_and_a_background_load_ends(fn: warptune.LoadedKernel) -> None:
    for _ in range(3):
        saxpy().load()(Array(), Array())
    loaded = saxpy().load(in_background=True)
    loaded.wait()
    assert loaded.state == "selected"
    with pytest.raises(warptune.WorkError):
        saxpy().load(strict=True)


def test_the_default_does_not_run_first_where_outputs_are_demanded() -> None:
    for demand in ("runs", "relative=1e-3"):
        with pytest.raises(warptune.InputError, match="in_background runs the definition's default"):
            saxpy().load(reproducible=demand, in_background=True)
    with pytest.raises(warptune.WorkError):
        saxpy().load(reproducible="bits", in_background=True)  # No row is known to give them.


def test_a_wrong_device_or_objective_is_refused() -> None:
    with pytest.raises(warptune.MachineError):
        saxpy().load(device=7)
    with pytest.raises(warptune.InputError, match="cache="):
        saxpy().load(cache="lukewarm")


def test_a_pickle_is_refused(fn: warptune.LoadedKernel) -> None:
    assert "pickle the warptune.Kernel" in refusal(lambda: pickle.dumps(fn))


def _call_in_child(fn: warptune.LoadedKernel, answers: "Queue[list[str]]") -> None:
    texts = []
    for call in (lambda: fn(Array(), Array()), lambda: saxpy().load(), fn.wait):
        try:
            call()  # type: ignore[no-untyped-call]
        except warptune.MachineError as error:
            texts.append(str(error))
    answers.put(texts)


def test_a_forked_process_is_refused(fn: warptune.LoadedKernel) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_call_in_child, args=(fn, answers))
    child.start()
    texts = answers.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert len(texts) == 3 and all("forked" in text and "spawn" in text for text in texts)
    fn(Array(), Array())


def test_a_signature_needs_no_gpu() -> None:
    assert [(one.name, one.kind, one.dtype) for one in saxpy().signature()] == [
        ("x", "in", "f32"), ("y", "inout", "f32"), ("a", "scalar", "f32"), ("n", "scalar", "i32")]
    from warptune.torch_operator import schema_of
    assert schema_of(saxpy().signature()) == "(Tensor x, Tensor(a1!) y, *, float? a=None) -> ()"


def test_the_libcuda_is_that_of_the_tests() -> None:
    assert os.environ["FAKE_CUDA_PARAMETERS"] == "8,8,4,4"
