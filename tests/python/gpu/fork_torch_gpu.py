"""A process that is forked from one where PyTorch, and not warptune, has initialised CUDA."""

import multiprocessing

from gpu_kernels import require, saxpy, tuned

import warptune

torch = require("torch")
KERNEL = tuned(saxpy(name="forked_saxpy"))  # Workers measure: this process does not use CUDA for it.
X, Y = torch.ones(1 << 20, device="cuda"), torch.ones(1 << 20, device="cuda")


class Interface:
    """An object that has only `__cuda_array_interface__`."""

    def __init__(self, tensor):
        self.__cuda_array_interface__ = {"shape": (tensor.numel(),), "typestr": "<f4", "data": (tensor.data_ptr(), False), "version": 3,
                                         "stream": None}


INTERFACE = Interface(X)


def _in_child(queue):
    answers = []
    for call in (KERNEL.load, lambda: KERNEL.tune(budget=2, inputs={"x": X}), lambda: KERNEL.tune(budget=2, inputs={"x": INTERFACE}),
                 lambda: KERNEL.tune(budget=2, fresh=True, metrics="none")):
        try:
            call()
            answers.append("done")
        except warptune.MachineError as error:
            answers.append(str(error))
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
    queue.put(answers)


def test_what_needs_cuda_is_refused_and_workers_still_measure():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    answers = queue.get(timeout=120)
    child.join(60)
    assert child.exitcode == 0
    for text in answers[:3]:
        assert "forked" in text and '"spawn"' in text and "\n" not in text, answers
    assert answers[3] == "done", answers
    KERNEL.load()(X, Y)  # The parent is not touched.
    assert bool((Y == 3).all())
