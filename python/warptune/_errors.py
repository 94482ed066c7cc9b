"""The exceptions of the package. The C++ extension looks these classes up by their names."""


class Error(Exception):
    """A failure of warptune. Its text says what is wrong, and what to do."""


class InputError(Error, ValueError):
    """A definition, an argument or another file is wrong.

    `file`, `line` and `column` say where. Lines and columns count from 1; an empty file and 0 mean that the place is unknown.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(number) for number in (self.line, self.column) if number)])
        return f"{place}: {self.message}" if self.file else self.message


class WorkError(Error, RuntimeError):
    """The call was valid but has no result: for example, no configuration is correct, or nothing is stored."""


class MachineError(Error, RuntimeError):
    """The machine lacks something: a GPU, a driver, NVRTC, a permission, or space on the disk."""


class InternalError(Error, RuntimeError):
    """An invariant of warptune itself is broken."""
