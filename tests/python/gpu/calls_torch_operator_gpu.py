"""Kernels as operators of PyTorch: eager, compiled, captured, and refused."""

import collections
import functools

from gpu_kernels import refusal, require, saxpy, tuned

torch = require("torch")
KERNEL = tuned(saxpy(name="operated_saxpy"))
OPERATOR = KERNEL.torch_operator("warptune_tests::saxpy", sizes=lambda x, y: {"N": x.numel()})


def pair(n):
    return torch.arange(n, dtype=torch.float32, device="cuda") % 1000, torch.ones(n, device="cuda")


def test_an_operator_computes():
    x, y = pair(1 << 20)
    OPERATOR(x, y)
    torch.ops.warptune_tests.saxpy(x, y, a=3.0)
    torch.testing.assert_close(y, 1 + 5 * x)


def test_each_problem_is_loaded_once():
    for n in (1000, 2000, 1000):
        x, y = pair(n)
        OPERATOR(x, y)
        torch.testing.assert_close(y, 1 + 2 * x)


def test_the_registration_is_complete():
    x, y = pair(4096)
    torch.library.opcheck(OPERATOR, (x, y))
    torch.library.opcheck(OPERATOR, (x, y), {"a": 3.0})


def test_torch_compile_keeps_the_operator_and_its_dynamic_shapes():
    @torch.compile(fullgraph=True, dynamic=True)
    def compiled(x, y):
        z = y + 1
        OPERATOR(x * 2, z)
        return z - 1

    for n in (1 << 12, 3000, 5000):
        x, y = pair(n)
        torch.testing.assert_close(compiled(x, y), y + 4 * x)


@functools.cache
def counted():
    """An operator, and how often its Python code ran for each number of elements."""
    calls = collections.Counter()

    def sizes(x, y):
        calls[x.numel()] += 1
        return {"N": x.numel()}
    return KERNEL.torch_operator("warptune_tests::counted", sizes=sizes), calls


def run_compiled(mode, n, times):
    """Runs a compiled function that calls the operator. Returns how often its Python code had run after each of `times` calls."""
    operator, calls = counted()

    @torch.compile(fullgraph=True, mode=mode)
    def compiled(x, y):
        z = y + 1
        operator(x * 2, z)
        return z - 1

    ran = []
    for time in range(times):
        x, y = pair(n)
        x += time
        torch.testing.assert_close(compiled(x, y), y + 4 * x)
        ran.append(calls[n])
    return ran


def test_torch_compile_with_graphs_captures_the_operator():
    ran = run_compiled("reduce-overhead", 1 << 14, 10)
    assert ran[0] >= 1 and ran[-1] == ran[-4], f"the last calls are not replays of a graph: {ran}"


def test_torch_compile_with_autotuning_keeps_the_operator():
    assert run_compiled("max-autotune-no-cudagraphs", 1 << 13, 3) == [1, 2, 3]
    run_compiled("max-autotune", 1 << 15, 10)


def test_the_first_call_of_a_problem_may_be_within_a_capture():
    """It loads the kernel, which a capture excludes otherwise."""
    for number, mode in enumerate(("global", "thread_local", "relaxed")):
        kernel = tuned(saxpy(name=f"operated_first_{number}"))
        operator = kernel.torch_operator(f"warptune_tests::first_{number}", sizes=lambda x, y: {"N": x.numel()})
        x, y = pair(1 << (16 + number))
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode=mode):
            operator(x, y)
        assert float(y.sum()) == y.numel()  # Nothing ran.
        graph.replay()
        graph.replay()
        torch.testing.assert_close(y, 1 + 4 * x)


def test_a_kernel_is_loaded_within_a_capture():
    x, y = pair(1 << 18)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        KERNEL.load(N=1 << 18)(x, y)
    graph.replay()
    torch.testing.assert_close(y, 1 + 2 * x)


def test_an_operator_is_captured_into_a_graph():
    x, y = pair(1 << 20)
    OPERATOR(x, torch.zeros_like(y))  # Loads the problem.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        OPERATOR(x, y)
    graph.replay()
    graph.replay()
    torch.testing.assert_close(y, 1 + 4 * x)


def test_gradients_are_refused():
    x, y = pair(1 << 20)
    x.requires_grad_()
    assert "no_grad" in refusal(lambda: OPERATOR(x, y))
    with torch.no_grad():
        OPERATOR(x, y)
    torch.testing.assert_close(y, 1 + 2 * x.detach())


def test_gradients_are_refused_with_the_same_sentence_by_torch_compile():
    compiled = torch.compile(lambda x, y: OPERATOR(x * 2, y), fullgraph=True)
    x, y = pair(1 << 12)
    x.requires_grad_()
    try:
        compiled(x, y)
    except Exception as error:  # PyTorch raises its own exception, which quotes the operator's.
        print(f"torch.compile raises {type(error).__module__}.{type(error).__qualname__}")
        assert "call it under torch.no_grad()" in str(error), str(error)
    else:
        raise AssertionError("torch.compile called the operator for a tensor that requires a gradient")
    with torch.no_grad():
        compiled(x, y)
    torch.testing.assert_close(y, 1 + 4 * x.detach())


def test_writing_is_noted_for_other_gradients():
    x, y = pair(1 << 20)
    before = y._version
    OPERATOR(x, y)
    assert y._version > before


def test_wrong_tensors_are_refused():
    x, y = pair(1 << 20)
    assert "f32" in refusal(lambda: OPERATOR(x.double(), y))
    refusal(lambda: KERNEL.torch_operator("saxpy"))


def test_tensors_of_the_host_are_refused_in_one_sentence():
    x, y = pair(1 << 12)
    for first, second, named in ((x.cpu(), y.cpu(), "x"), (x.cpu(), y, "x"), (x, y.cpu(), "y")):
        assert f'("{named}"): expected' in refusal(lambda first=first, second=second: OPERATOR(first, second))
