"""Kernels as operators of PyTorch: eager, compiled, captured, and refused."""

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


def test_writing_is_noted_for_other_gradients():
    x, y = pair(1 << 20)
    before = y._version
    OPERATOR(x, y)
    assert y._version > before


def test_wrong_tensors_are_refused():
    x, y = pair(1 << 20)
    assert "f32" in refusal(lambda: OPERATOR(x.double(), y))
    refusal(lambda: KERNEL.torch_operator("saxpy"))
