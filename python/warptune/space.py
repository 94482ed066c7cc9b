"""The space of a kernel for one problem."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _native
from ._values import Configuration, Value, Values

if TYPE_CHECKING:
    from .kernel import Kernel


class Space:
    """All configurations of a kernel that meet its constraints, for one problem. They are counted without being enumerated.

    Constraints on attributes of the device are evaluated for this machine's first GPU, or for a fictional GPU if there is none. A pickle
    contains only the kernel (its description, its shipped name or its file's path) and the problem. So the machine that unpickles it
    evaluates the constraints for its own GPU.
    """

    def __init__(self, native: _native.KernelSpace, kernel: "Kernel") -> None:
        self._native = native
        self._kernel = kernel

    def __reduce__(self) -> tuple[object, ...]:
        return _space_of, (self._kernel, self.problem)

    @property
    def size(self) -> int:
        """The number of configurations. If `is_exact` is false, it includes some that break a constraint."""
        return self._native.size

    @property
    def estimated_size(self) -> float:
        """The number of configurations. If `is_exact` is false, it is an estimate."""
        return self._native.estimated_size

    @property
    def is_exact(self) -> bool:
        """False if some constraints are so costly that they are only checked for one configuration at a time."""
        return self._native.is_exact

    @property
    def problem(self) -> Configuration:
        """A value for each entry of the problem."""
        return self._native.problem

    @property
    def parameters(self) -> dict[str, list[Value]]:
        """Every parameter with its values."""
        return dict(self._native.parameters)

    @property
    def constraints(self) -> list[str]:
        """The constraints as text: expressions of the definition."""
        return self._native.constraints

    @property
    def default(self) -> Configuration:
        """The definition's default; empty if it is not valid for this problem."""
        return self._native.default

    def contains(self, configuration: Values) -> bool:
        """Whether the configuration has a known value for every parameter and meets all constraints."""
        return not self.why_not(configuration)

    def why_not(self, configuration: Values) -> list[str]:
        """Why a configuration is not in the space: one sentence for each broken constraint. Empty if it is in the space."""
        return self._native.why_not(dict(configuration))

    def index_of(self, configuration: Values) -> int | None:
        """The position of a configuration in the order of iteration. None if it is not in the space."""
        return self._native.index_of(dict(configuration))

    def neighbours(self, configuration: Values, *, adjacent: bool = False) -> list[Configuration]:
        """The configurations that differ from the given one in one parameter, with `adjacent` only by one step in its list of values."""
        return self._native.neighbours(dict(configuration), adjacent)

    def sample(self, count: int = 1, *, seed: int | None = None) -> list[Configuration]:
        """Draws different configurations uniformly: fewer than `count` if the space has fewer. The same seed draws the same ones."""
        if seed is None:
            seed = int.from_bytes(os.urandom(4), "little")
        return self._native.sample(count, seed)

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.space(self)

    def __contains__(self, configuration: object) -> bool:
        return isinstance(configuration, dict) and self.contains(configuration)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Configuration]:
        for index in range(self.size):
            configuration = self._native.at(index)
            if configuration is not None:  # None: it breaks a constraint that was left out of the index (`is_exact` is false).
                yield configuration

    def __repr__(self) -> str:
        about = "" if self.is_exact else "about "
        count = self.size if self.is_exact else round(self.estimated_size)
        name = _native.printable(self._native.kernel)
        return f"<warptune.Space of {name}: {about}{count} configurations of {len(self.parameters)} parameters>"


def _space_of(kernel: "Kernel", problem: Values) -> Space:
    return kernel.space_for(problem)
