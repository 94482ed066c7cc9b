"""`PythonKernel`: one configuration of a kernel as a Python function."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..._errors import InputError
from .arguments import is_scalar
from .checking import on_host
from .description import KernelOptions, description_of, space_of
from .integration import TuneResults
from .interface import launched
from .readings import gpu_name


def is_on_device(value: Any) -> bool:
    """Whether this is an array in a GPU's memory."""
    return hasattr(value, "__cuda_array_interface__")


class PythonKernel:
    """One configuration of a kernel. A call launches it.

    With arrays of a GPU, a call writes into them and returns an empty list. The kernel is launched on the current stream of the library
    that made the arrays (such as PyTorch or CuPy). With arrays of NumPy, a call launches in a worker process and returns a list of the
    outputs. It then copies all arrays, so it is meant for tests; `warptune.Kernel.load` is for programs that call often.
    """

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Sequence[Any],
                 params: Mapping[str, Any] | None = None, inputs: Sequence[bool] | None = None, outputs: Sequence[bool] | None = None,
                 device: int = 0, platform: int = 0, block_size_names: list[str] | None = None, grid_div_x: Any = None,
                 grid_div_y: Any = None, grid_div_z: Any = None, verbose: bool = True, lang: str | None = None,
                 results_file: str | None = None) -> None:
        """`params` is the configuration.

        `results_file` is a file that `store_results` wrote. Values of its best configuration replace those in `params`.

        `inputs` says which arguments of a call are used; for the others, the GPU has what `arguments` held, or what the last call left.
        `outputs` says which arrays are returned. Raises `InputError` for what has no equivalent.
        """
        if platform:
            raise InputError("platform= has no equivalent: CUDA has no platforms")
        chosen = dict(params or {})
        if results_file is not None:
            chosen |= TuneResults(results_file).get_best_config(gpu_name(device), problem_size)
        self.params = chosen
        self._given = {"kernel_name": kernel_name, "kernel_source": kernel_string, "problem_size": problem_size,
                       "space": space_of({name: [value] for name, value in chosen.items()}),
                       "grid_div": [grid_div_x, grid_div_y, grid_div_z], "lang": lang, "block_size_names": block_size_names}
        self._device = device
        self._held = list(arguments)
        self._loaded: dict[tuple[Any, ...], Any] = {}
        self.inputs = self._flags(inputs, "inputs")
        self.outputs = self._flags(outputs, "outputs")
        description_of(self._options(self._held), all_results=True)  # Wrong arguments raise an error here, before the first call.

    def _flags(self, given: Sequence[bool] | None, name: str) -> list[bool]:
        flags = [True for _ in self._held] if not given else list(given)
        if len(flags) != len(self._held):
            raise InputError(f"{name}= has {len(flags)} entries and arguments= has {len(self._held)}: expected as many")
        return flags

    def _options(self, arguments: list[Any]) -> KernelOptions:
        return KernelOptions(**self._given, arguments=arguments)

    def update_gpu_args(self, args: Sequence[Any]) -> list[Any]:
        """Takes the arguments that are inputs. Raises `InputError` for another number of arguments."""
        if len(args) != len(self._held):
            raise InputError(f"{self._given['kernel_name']} has {len(self._held)} arguments, and {len(args)} are given")
        self._held = [given if is_input else held for given, held, is_input in zip(args, self._held, self.inputs, strict=True)]
        return self._held

    def run_kernel(self, args: Sequence[Any]) -> list[Any]:
        """Launches the kernel, and returns the outputs among the arrays of NumPy.

        Raises `InputError` for arrays of a GPU beside others, and `WorkError` if the configuration cannot run.
        """
        arrays = [one for one in self.update_gpu_args(args) if not is_scalar(one)]
        if arrays and all(is_on_device(one) for one in arrays):
            self._launch()
            return []
        if any(is_on_device(one) for one in arrays):
            raise InputError("PythonKernel has arrays of a GPU beside arrays of the host: expected all in one place")
        self._held = launched(self._options(self._held), self._device)
        return [on_host(one) for one, is_output in zip(self._held, self.outputs, strict=True) if is_output and not is_scalar(one)]

    def _launch(self) -> None:
        """Launches in this process. Code is loaded once for each combination of scalars, whose values are compiled into the definition."""
        # 0.0 and -0.0, and 1 and True, are equal but not the same argument.
        scalars = tuple((str(one.dtype), repr(one.item())) for one in self._held if is_scalar(one))
        if scalars not in self._loaded:
            described = description_of(self._options(self._held), all_results=True)
            self._loaded[scalars] = described.kernel.load(device=self._device)
        self._loaded[scalars](*[one for one in self._held if not is_scalar(one)])

    def __call__(self, *args: Any) -> list[Any]:
        """As `run_kernel`, with the arguments one by one."""
        return self.run_kernel(args)
