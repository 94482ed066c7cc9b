"""Loaded kernels on tensors of PyTorch: results, streams, graphs, errors."""

import gc
import multiprocessing
import os
import pickle
import threading

from gpu_kernels import refusal, require, saxpy, tuned, with_workspace

import warptune

torch = require("torch")
N = 1 << 20
KERNEL = tuned(saxpy())
fn = KERNEL.load()


def pair(n=N):
    return torch.arange(n, dtype=torch.float32, device="cuda") % 1000, torch.ones(n, device="cuda")


def test_a_call_computes_on_the_tensors_memory():
    x, y = pair()
    address = y.data_ptr()
    assert fn(x, y) is None
    assert y.data_ptr() == address
    torch.testing.assert_close(y, 1 + 2 * x)


def test_the_best_configuration_is_loaded():
    match = KERNEL.best()
    assert fn.configuration == match.configuration
    assert fn.match.match == match.match == "exact"
    assert fn.problem == {"N": N}
    assert [one.name for one in fn.arguments] == ["x", "y", "a", "n"]
    assert [one.kind for one in fn.arguments] == ["in", "inout", "scalar", "scalar"]
    assert [one.bytes for one in fn.arguments] == [4 * N, 4 * N, 4, 4]
    assert fn.workspace_bytes == 0 and fn.device == 0 and fn.state == "selected"
    assert "called_saxpy" in repr(fn)


def test_scalars_are_passed_left_out_or_named():
    x, y = pair()
    fn(x, y, 3.0)
    fn(x, y, 3.0, N)
    fn(x, y, a=3.0)
    fn(x=x, y=y, a=3, n=N)
    torch.testing.assert_close(y, 1 + 12 * x)


def test_wrong_scalars_are_refused():
    x, y = pair()
    assert "follows from the problem" in refusal(lambda: fn(x, y, 2.0, N - 1))
    assert "an int" in refusal(lambda: fn(x, y, 2.0, 1.5))
    assert "range" in refusal(lambda: fn(x, y, 2.0, 1 << 40))
    assert "number" in refusal(lambda: fn(x, y, torch.ones((), device="cuda")))
    assert "no argument" in refusal(lambda: fn(x, y, b=1))


def test_other_sizes_and_larger_tensors():
    small = KERNEL.load(N=1000)
    x, y = pair(2000)
    small(x, y)
    torch.testing.assert_close(y[:1000], 1 + 2 * x[:1000])
    torch.testing.assert_close(y[1000:], torch.ones(1000, device="cuda"))


def test_wrong_tensors_are_refused_by_a_sentence():
    x, y = pair()
    cases = [((x.double(), y), "f32"), ((x.cpu(), y), "host"), ((torch.ones(2 * N, device="cuda")[::2], y), "contiguous"),
             ((x[1:], y), "multiple"), ((x[:-4], y), "bytes"), ((x,), "expected 4 arguments"), ((x, y, 1.0, N, 5), "expected 4"),
             (([1.0], y), "array"), ((None, y), "array")]
    for arguments, part in cases:
        assert part in refusal(lambda arguments=arguments: fn(*arguments)), part
    if torch.cuda.device_count() > 1:
        assert "device 1" in refusal(lambda: fn(x.to("cuda:1"), y))
    fn(x, y)  # The process still works.
    torch.testing.assert_close(y, 1 + 2 * x)


def test_a_tensor_that_requires_a_gradient_is_refused_unless_gradients_are_off():
    x, y = pair()
    x.requires_grad_()
    assert "no_grad" in refusal(lambda: fn(x, y))
    with torch.no_grad():
        fn(x, y)
    torch.testing.assert_close(y, 1 + 2 * x.detach())


def test_the_launch_is_on_the_current_stream():
    x, y = pair()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(50_000_000)
        x.add_(1)
        fn(x, y)
        fn(x, y)
    side.synchronize()
    torch.testing.assert_close(y, 1 + 4 * x)


def test_a_stream_is_given_as_an_object_or_an_address():
    side = torch.cuda.Stream()
    for stream in (side, side.cuda_stream, torch.cuda.ExternalStream(side.cuda_stream)):
        x, y = pair()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            x.add_(1)
        fn(x, y, stream=stream)
        side.synchronize()
        torch.testing.assert_close(y, 1 + 2 * x)
    assert "stream" in refusal(lambda: fn(x, y, stream="fast"))


def test_memory_of_a_tensor_on_another_stream_is_not_reused_too_early():
    side = torch.cuda.Stream()
    x, y = pair()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
    fn(x, y, stream=side)
    kept = x.clone()
    address = x.data_ptr()
    del x
    taken = torch.full((N,), -5.0, device="cuda")
    assert taken.data_ptr() != address
    side.synchronize()
    torch.testing.assert_close(y, 1 + 2 * kept)


def allocated_bytes():
    """The bytes of PyTorch's live tensors. PyTorch gives memory that other streams or captures used back late: when it allocates, and
    when it empties its cache."""
    gc.collect()
    torch.cuda.synchronize()
    torch.empty(1, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return torch.cuda.memory_allocated()


def test_a_workspace_comes_from_pytorch():
    counted = tuned(with_workspace()).load()
    assert counted.workspace_bytes >= 4 << 16
    x, _ = pair(1 << 16)
    out = torch.empty_like(x)
    before = allocated_bytes()
    for _ in range(100):
        counted(x, out)
    kept = allocated_bytes() - before
    assert kept <= 0, f"{kept} bytes more are allocated after 100 calls"  # Memory of earlier tests may be given back meanwhile.
    torch.testing.assert_close(out, x)


def test_a_call_is_captured_into_a_graph():
    counted = tuned(with_workspace()).load()
    x, y = pair()
    short = x[: 1 << 16].clone()
    out = torch.empty_like(short)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fn(x, y)
        counted(short, out)
    assert float(y.sum()) == N  # Nothing ran.
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(y, 1 + 6 * x)
    torch.testing.assert_close(out, short)


def test_a_new_thread_and_several_threads_may_call():
    results = []

    def work():
        x, y = pair()
        fn(x, y)
        results.append(bool(torch.allclose(y, 1 + 2 * x)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == [True] * 4


def test_a_thread_without_a_context_may_launch():
    x, y = pair()
    torch.cuda.synchronize()
    thread = threading.Thread(target=lambda: fn(x, y))
    thread.start()
    thread.join()
    torch.cuda.synchronize()
    torch.testing.assert_close(y, 1 + 2 * x)


def test_background_loading_runs_the_default_first():
    kernel = saxpy(name="called_in_background")
    kernel.tune(budget="all", metrics="none")
    loaded = kernel.load(in_background=True)
    x, y = pair()
    loaded(x, y)
    loaded.wait()
    assert loaded.state == "selected"
    loaded(x, y)
    torch.testing.assert_close(y, 1 + 4 * x)


def test_a_loaded_kernel_outlives_its_kernel_and_many_loads_share_code():
    loaded = saxpy().load()
    x, y = pair()
    for _ in range(20):
        loaded = saxpy().load()
    loaded(x, y)
    del loaded
    torch.cuda.synchronize()
    torch.testing.assert_close(y, 1 + 2 * x)


def test_a_pickle_is_refused():
    assert "Kernel" in refusal(lambda: pickle.dumps(fn))


def _in_child(queue):
    x = object()
    try:
        fn(x, x)
    except warptune.Error as error:
        queue.put((type(error).__name__, str(error)))


def test_a_call_in_a_forked_process_is_refused():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    kind, text = queue.get(timeout=60)
    child.join(60)
    assert kind == "MachineError" and "forked" in text and "spawn" in text
    assert child.exitcode == 0
    x, y = pair()
    fn(x, y)  # The parent is not touched.
    torch.testing.assert_close(y, 1 + 2 * x)


def test_another_database_without_results_is_refused_or_gives_the_default(tmp_path):
    assert "Kernel.tune" in refusal(lambda: saxpy().load(db=tmp_path / "none.db"))
    other = saxpy(name="called_never_tuned").load()
    assert other.match.match == "default" and other.configuration == {"BLOCK": 256, "ITEMS": 1}
    refusal(lambda: saxpy(name="called_never_tuned").load(strict=True), warptune.WorkError)
    assert os.getpid() > 0
