"""The kernel's source: text, a file, a function that writes it, or a list of files."""

import contextlib
import hashlib
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..._errors import InputError, MachineError
from .tabulation import Space, expression_of, table_of

INDEX = "WARPTUNE_GENERATED_SOURCE"
"""The macro that chooses one of the texts that a function has written."""
MAX_TEXTS = 65536
MAX_INLINE_CHARACTERS = 1 << 16
"""If the texts of a function have more characters in total, they become files. A compiler then reads only one for a configuration."""
_NO_LANGUAGE = {"OPENCL": "OpenCL", "HIP": "HIP", "C": "C", "FORTRAN": "Fortran", "JULIA": "Julia", "HYPERTUNER": "Hypertuner"}


class Source:
    """The source that is compiled."""

    def __init__(self, text: str, path: Path | None = None, defines: dict[str, str] | None = None) -> None:
        self.text = text
        self.path = path
        """The file, if the source is one."""
        self.defines = defines or {}
        self.readable: list[str] = []
        """The folders of further files."""
        self.chooser: str | None = None
        """If it is set, it is compiled instead of `text`. It includes one of several files."""

    @property
    def given(self) -> str | os.PathLike[str]:
        """What `Kernel` takes: a path, or text of more than one line."""
        return self.path if self.path is not None else (self.chooser or self.text) + "\n"


def is_file_name(text: str) -> bool:
    """Whether a text names a file and is not source text. The rules are those of Kernel Tuner."""
    is_code = len(text) > 250 or any(sign in text for sign in "();{}\\") or any(
        word in text for word in ("__global__ ", "__kernel ", "void ", "float "))
    return not is_code and any(ending in text for ending in (".c", ".opencl", ".F", ".jl"))


def source_of(kernel_source: Any, space: Space) -> Source:
    """Reads what the caller gave. Raises `InputError` for a file that cannot be read."""
    if isinstance(kernel_source, (list, tuple)):
        return _with_files(list(kernel_source), space)
    if callable(kernel_source):
        return _generated(kernel_source, space)
    if isinstance(kernel_source, os.PathLike) or (isinstance(kernel_source, str) and is_file_name(kernel_source)):
        path = Path(kernel_source)
        try:
            return Source(path.read_text(encoding="utf-8"), path)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if not isinstance(kernel_source, str):
        raise InputError(f"kernel_source= is {type(kernel_source).__name__}: expected text, a path, a function or a list")
    return Source(kernel_source)


def _with_files(sources: list[Any], space: Space) -> Source:
    """The first source is compiled. The others are files that it includes by their names."""
    main = source_of(sources[0], space)
    if main.path is None:
        for name in sources[1:]:
            main.text = main.text.replace(str(name), str(Path(name).resolve()))
    main.readable = [str(Path(name).resolve().parent) for name in sources[1:]]
    return main


def _generated(write: Callable[[dict[str, Any]], str], space: Space) -> Source:
    """All texts that a function writes, of which a macro chooses one."""
    names, table = table_of(write, space, "kernel_source=")
    texts = list(dict.fromkeys(table.values()))
    if len(texts) > MAX_TEXTS:
        raise InputError(f"kernel_source= writes {len(texts)} different sources, and at most {MAX_TEXTS} can be used")
    if len(texts) == 1:
        return Source(texts[0])
    index = {text: at for at, text in enumerate(texts)}
    chosen = expression_of(names, {held: index[text] for held, text in table.items()}, space, "kernel_source=")
    if sum(len(text) for text in texts) <= MAX_INLINE_CHARACTERS:
        return Source(_alternatives(texts), defines={INDEX: chosen})
    source = Source(texts[0], defines={INDEX: chosen})
    folder = _folder_of(texts)
    source.readable = [str(folder)]
    source.chooser = _alternatives([f'#include "{folder / str(at)}.cu"' for at in range(len(texts))])
    return source


def _folder_of(texts: list[str]) -> Path:
    """A folder in the user's cache that has the texts as files. Equal texts always get the same folder, so the compile cache is used."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").resolve()
    found = hashlib.sha256(b"".join(len(text.encode()).to_bytes(8, "little") + text.encode() for text in texts))
    folder = cache / "warptune" / "generated" / found.hexdigest()[:32]
    try:
        for private in (folder.parent.parent, folder.parent, folder):
            private.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_missing(folder, texts)
    except OSError as error:
        raise MachineError(f"{folder}: the generated sources cannot be written: {error.strerror}") from None
    return folder


def _write_missing(folder: Path, texts: list[str]) -> None:
    for at, text in enumerate(texts):
        file, new = folder / f"{at}.cu", folder / f"{at}.{os.getpid()}.{threading.get_ident()}.new"
        with contextlib.suppress(OSError):
            if file.read_bytes() == (text + "\n").encode():
                continue
        new.write_bytes((text + "\n").encode())
        new.replace(file)  # Another process never sees a part of the file.


def _alternatives(texts: list[str]) -> str:
    """Source with all texts, of which the macro `INDEX` chooses one."""
    parts = [f"#{'if' if at == 0 else 'elif'} {INDEX} == {at}\n{text}\n" for at, text in enumerate(texts)]
    return "".join(parts) + "#endif\n"


def check_language(lang: str | None, source: str) -> None:
    """Raises `InputError` unless the kernel is CUDA."""
    if lang is None:
        lang = "CUDA" if "__global__" in source else "OpenCL" if "__kernel" in source else "C"
    if lang.upper() in _NO_LANGUAGE:
        raise InputError(f"lang={_NO_LANGUAGE[lang.upper()]!r} has no equivalent: warptune tunes CUDA kernels")
    if lang.upper() not in ("CUDA", "CUPY", "NVCUDA", "PYCUDA"):
        raise InputError(f"lang={lang!r} is not known: expected CUDA, CuPy or NVCUDA")


def entry_of(kernel_name: str, space: Space) -> str:
    """The entry: parameters in template arguments become placeholders."""
    function, bracket, rest = kernel_name.partition("<")
    placed = re.sub(r"\w+", lambda match: f"{{{match.group()}}}" if match.group() in space else match.group(), rest)
    return function.strip() + bracket + placed


def compiler_choice(options: list[str] | None) -> tuple[str | None, list[str]]:
    """The C++ standard and the other options. Raises `InputError` for an architecture, which the GPU decides."""
    language, flags = None, []
    for option in options or []:
        found = re.fullmatch(r"--?std=(c\+\+\d+)", option.strip())
        if re.match(r"--?(arch|gpu-architecture|gencode)\b", option.strip()):
            raise InputError(f"the compiler option {option} has no equivalent: warptune compiles for the GPU that measures")
        if found:
            language = found.group(1)
        else:
            flags.append(option)
    return language, flags
