"""Loaded kernels on the arrays of CuPy, Numba and JAX, and on objects that only have a protocol."""

from gpu_kernels import Skipped, refusal, require, saxpy, tuned, with_workspace

cupy = require("cupy")
N = 1 << 20
KERNEL = tuned(saxpy())
fn = KERNEL.load()


def pair():
    return cupy.arange(N, dtype=cupy.float32) % 1000, cupy.ones(N, dtype=cupy.float32)


class Interface:
    """An object that has only `__cuda_array_interface__`."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


class Exchange:
    """An object that has only DLPack. It notes the stream."""

    def __init__(self, array):
        self.array = array
        self.streams = []

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def check(x, y, times=1):
    cupy.cuda.Device().synchronize()
    assert bool((y == 1 + 2 * times * x).all())


def test_arrays_of_cupy():
    x, y = pair()
    fn(x, y)
    fn(x, y, 2.0, N)
    check(x, y, 2)


def test_wrong_arrays_of_cupy_are_refused():
    x, y = pair()
    assert "f32" in refusal(lambda: fn(x.astype(cupy.float64), y))
    assert "contiguous" in refusal(lambda: fn(cupy.ones(2 * N, dtype=cupy.float32)[::2], y))
    assert "bytes" in refusal(lambda: fn(x[:-8], y))
    assert "multiple" in refusal(lambda: fn(x[1:], y))
    assert "host" in refusal(lambda: fn(cupy.asnumpy(x), y))
    fn(x, y)
    check(x, y)


def test_cupys_current_stream_is_used():
    x, y = pair()
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        for _ in range(20):
            x += 1
        fn(x, y)
    stream.synchronize()
    check(x, y)
    fn(x, y, stream=stream)
    fn(x, y, stream=stream.ptr)
    stream.synchronize()
    check(x, y, 3)


def test_a_workspace_comes_from_cupy():
    counted = tuned(with_workspace()).load()
    x = cupy.arange(1 << 16, dtype=cupy.float32)
    out = cupy.empty_like(x)
    stream = cupy.cuda.Stream(non_blocking=True)
    used = cupy.get_default_memory_pool().used_bytes()
    counted(x, out)
    counted(x, out, stream=stream)
    assert cupy.get_default_memory_pool().used_bytes() == used
    cupy.cuda.Device().synchronize()
    assert bool((out == x).all())


def test_the_array_interface_and_dlpack():
    for wrap in (Interface, Exchange):
        x, y = pair()
        cupy.cuda.Device().synchronize()
        fn(wrap(x), wrap(y))
        check(x, y)


def test_dlpack_gets_the_stream_of_the_launch():
    x, y = pair()
    cupy.cuda.Device().synchronize()
    given = Exchange(x)
    fn(given, Exchange(y))
    stream = cupy.cuda.Stream(non_blocking=True)
    fn(given, Exchange(y), stream=stream)
    stream.synchronize()
    assert given.streams == [1, stream.ptr]
    check(x, y, 2)


def test_the_producers_stream_of_an_interface_is_waited_for():
    x, y = pair()
    cupy.cuda.Device().synchronize()
    producer = cupy.cuda.Stream(non_blocking=True)
    consumer = cupy.cuda.Stream(non_blocking=True)
    with producer:
        for _ in range(50):
            x += 1
    fn(Interface(x, version=3, stream=producer.ptr), Interface(y, version=3, stream=None), stream=consumer)
    consumer.synchronize()
    check(x, y)


def test_wrong_objects_with_protocols_are_refused():
    x, y = pair()
    pointer = x.__cuda_array_interface__["data"][0]
    assert "read-only" in refusal(lambda: fn(x, Interface(y, data=(y.data.ptr, True))))
    fn(Interface(x, data=(pointer, True)), y)  # An input may be read-only.
    assert "f32" in refusal(lambda: fn(Interface(x, typestr="<i4"), y))
    assert "f32" in refusal(lambda: fn(Exchange(x.astype(cupy.int32)), y))
    assert "contiguous" in refusal(lambda: fn(Interface(x, strides=(8,)), y))
    assert "array" in refusal(lambda: fn(object(), y))


def test_a_workspace_without_an_allocator_is_kept():
    counted = tuned(with_workspace()).load()
    x = cupy.arange(1 << 16, dtype=cupy.float32)
    out = cupy.empty_like(x)
    cupy.cuda.Device().synchronize()
    for _ in range(3):
        counted(Interface(x), Exchange(out))
    cupy.cuda.Device().synchronize()
    assert bool((out == x).all())


def test_arrays_of_numba():
    cuda = require("numba.cuda")
    if not cuda.is_available():
        raise Skipped("Numba finds no GPU")
    numpy = require("numpy")
    x = cuda.to_device(numpy.arange(N, dtype=numpy.float32) % 1000)
    y = cuda.to_device(numpy.ones(N, dtype=numpy.float32))
    fn(x, y)
    cuda.synchronize()
    assert (y.copy_to_host() == 1 + 2 * x.copy_to_host()).all()
    fn(x, y, stream=cuda.stream())
    cuda.synchronize()


def jax_with_a_gpu():
    jax = require("jax")
    if jax.default_backend() != "gpu":
        raise Skipped("JAX has no GPU")
    return jax


def test_arrays_of_jax_are_inputs():
    jax = jax_with_a_gpu()
    x = jax.numpy.arange(N, dtype=jax.numpy.float32)
    y = cupy.ones(N, dtype=cupy.float32)
    fn(x, y)
    check(cupy.asarray(x), y)


def test_work_that_jax_has_not_ended_is_waited_for():
    jax = jax_with_a_gpu()

    @jax.jit
    def slow(start):
        def step(_, held):
            a, count = held
            return a @ a, count + 1
        a, count = jax.lax.fori_loop(0, 60, step, (start, jax.numpy.zeros((), jax.numpy.float32)))
        return jax.numpy.full((N,), count) + 0 * a[0, 0]  # It needs the end of the loop.

    start = jax.numpy.eye(4096, dtype=jax.numpy.float32)
    slow(start).block_until_ready()  # Compiles.
    stream = cupy.cuda.Stream(non_blocking=True)
    y = cupy.zeros(N, dtype=cupy.float32)
    cupy.cuda.Device().synchronize()
    x = slow(start)
    fn(x, y, stream=stream)
    stream.synchronize()
    assert bool((y == 120).all()), y[:4]


def test_an_array_of_jax_is_never_written():
    jax = jax_with_a_gpu()
    x = jax.numpy.ones(N, dtype=jax.numpy.float32)
    assert "read-only" in refusal(lambda: fn(x, x))
    half = saxpy(name="called_bf16", source="""#include <cuda_bf16.h>
extern "C" __global__ void saxpy(const __nv_bfloat16* x, __nv_bfloat16* y, float a, int n) {
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x;
    if (at < n) y[at] = __float2bfloat16(__bfloat162float(y[at]) + a * __bfloat162float(x[at]));
  }
}
""", arguments=[{"name": "x", "kind": "in", "type": "bf16", "count": "N"}, {"name": "y", "kind": "inout", "type": "bf16", "count": "N"},
                {"name": "a", "kind": "scalar", "type": "f32", "value": "2.0"},
                {"name": "n", "kind": "scalar", "type": "i32", "value": "N"}]).load()
    b = jax.numpy.ones(N, dtype=jax.numpy.bfloat16)
    assert "read-only" in refusal(lambda: half(b, b))
    torch = require("torch")
    y = torch.ones(N, dtype=torch.bfloat16, device="cuda")
    half(b, y)
    torch.cuda.synchronize()
    assert bool((y == 3).all())


def cuda_core():
    """The parts of cuda.core, which older releases have in another module."""
    for name in ("cuda.core", "cuda.core.experimental"):
        try:
            module = require(name)
            module.Device  # noqa: B018
            break
        except (Skipped, AttributeError):
            continue
    else:
        raise Skipped("cuda.core is not installed")
    try:
        view = require("cuda.core.utils").StridedMemoryView
    except (Skipped, AttributeError):
        view = require("cuda.core.experimental.utils").StridedMemoryView
    return module, view


def test_views_of_cuda_core_are_arrays():
    _, view_of = cuda_core()
    x, y = pair()
    cupy.cuda.Device().synchronize()
    fn(view_of(x, stream_ptr=-1), view_of(y, stream_ptr=-1))
    check(x, y)
    assert "f32" in refusal(lambda: fn(view_of(x.astype(cupy.int32), stream_ptr=-1), y))
    assert "contiguous" in refusal(lambda: fn(view_of(cupy.ones(2 * N, dtype=cupy.float32)[::2], stream_ptr=-1), y))
    assert "bytes" in refusal(lambda: fn(view_of(x[:-8], stream_ptr=-1), y))


def test_buffers_and_streams_of_cuda_core_are_taken():
    core, _ = cuda_core()
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    x, y = device.allocate(4 * N, stream=stream), device.allocate(4 * N, stream=stream)
    held = [cupy.ndarray(N, dtype=cupy.float32, memptr=cupy.cuda.MemoryPointer(
        cupy.cuda.UnownedMemory(int(one.handle), 4 * N, one), 0)) for one in (x, y)]
    stream.sync()
    held[0][:], held[1][:] = 3, 1
    cupy.cuda.Device().synchronize()
    fn(x, y, stream=stream)
    stream.sync()
    assert bool((held[1] == 7).all())
    short = device.allocate(4 * N - 4, stream=stream)
    assert "bytes" in refusal(lambda: fn(short, y, stream=stream))


def test_views_of_cuda_core_are_data_of_a_tuning(tmp_path):
    _, view_of = cuda_core()
    x, y = pair()
    cupy.cuda.Device().synchronize()
    result = saxpy().tune(budget=2, db=tmp_path / "a.db", metrics="none", expected={"y": y + 2 * x},
                          inputs={"x": view_of(x, stream_ptr=-1), "y": view_of(y, stream_ptr=-1)})
    assert result.by_status.get("wrong_result", 0) == 0 and result.best.status == "measured"


def test_tensors_and_arrays_mix():
    torch = require("torch")
    x = torch.ones(N, device="cuda")
    y = cupy.ones(N, dtype=cupy.float32)
    torch.cuda.synchronize()
    cupy.cuda.Device().synchronize()
    fn(x, y)
    torch.cuda.synchronize()
    assert float(y.sum()) == 3 * N
