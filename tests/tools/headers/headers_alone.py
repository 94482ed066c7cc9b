#!/usr/bin/env python3
"""headers_alone.py WORK_FOLDER HEADERS --root ROOT [--include FOLDER]... -- CLANG [OPTION]...

Fails when a header does not compile alone, or has no include guard. HEADERS is a file with one path from ROOT a line.

Each header is a clang module. To build the module of a header, clang reads this header and the modules of its includes, and
nothing else. A header that needs what only some other header includes or defines therefore does not build, as if a source
included it alone. But a header that 50 others include is read once instead of 51 times. One process of clang builds all modules.

The headers of the standard library of C++, and all that they include, are one module, so the names of one can be used without
including it. tests/tools/check_includes.py finds that. Each other header of a library that the project includes is a module of its own. WORK_FOLDER keeps the modules. Those whose headers have not changed since are not built again."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
ONCE = re.compile(r"\s*#\s*pragma\s+once\b")
GUARD = re.compile(r"\s*(?:#\s*pragma GCC system_header\s*)?#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\b")
CONDITION = re.compile(r"^\s*#\s*(if|endif)[^\n]*\n?", re.MULTILINE)
MODULE_OPTIONS = ["-fmodules", "-fno-implicit-module-maps", "-fmodules-validate-system-headers",
                  "-fsyntax-only", "-Wno-c++17-extensions"]  # A module of clang 14 takes hexadecimal numbers for such an extension.
# No modules: each include of these reads their text. <cassert> may differ each time. Headers of C++ around those of C undo their macros.
AS_TEXT = {"cassert", "assert.h", "math.h", "stdlib.h", "complex.h", "fenv.h", "tgmath.h"}


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def is_guarded(text):
    """Whether a second include of this text has no effect."""
    code = COMMENT.sub("", text)
    if ONCE.match(code):
        return True
    if not GUARD.match(code):
        return False
    depth = 0
    for found in CONDITION.finditer(code):
        depth += 1 if found[1] == "if" else -1
        if depth == 0:  # The end of the condition that the guard begins
            return not code[found.end():].strip()
    return False


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


class Libraries:
    """The headers of libraries as clang finds them."""

    def __init__(self, command, work):
        self.command, self.work = command, work
        done = subprocess.run([*command, "-v", "-fsyntax-only", "-x", "c++", os.devnull], capture_output=True, text=True, check=True)
        listed = done.stderr.split("#include <...> search starts here:")[1].split("End of search list")[0]
        self.folders = listed.split()

    def find(self, name):
        """The file that an include of this name reads; None if there is none."""
        return next((os.path.realpath(path) for folder in self.folders if os.path.exists(path := os.path.join(folder, name))), None)

    def included(self, names):
        """All files that a source with these includes reads."""
        source = self.work / "standard.h"
        write_if_changed(source, "".join(f"#include <{name}>\n" for name in names))
        done = subprocess.run([*self.command, "-M", "-x", "c++-header", str(source)], capture_output=True, text=True, check=True)
        paths = [os.path.realpath(path) for path in done.stdout.replace("\\\n", " ").split()[1:]]
        return source, [path for path in dict.fromkeys(paths) if path != os.path.realpath(source)]


def module(name, paths, attributes=""):
    headers = "".join(f'  header "{path}"\n' for path in paths)
    return f"module {name}{attributes} {{\n{headers}  export *\n}}\n"


def library_modules(libraries, used):
    """The text of the modules of libraries. `used`: the names of the headers that the project includes."""
    cxx_folder = os.path.dirname(libraries.find("vector"))
    found = {name: libraries.find(name) for name in used}
    # One module, because clang 14 takes a deduction guide for two if two modules read it. <csignal> and its like would add names of C.
    standard = [name for name, path in found.items() if path and os.path.dirname(path) == cxx_folder
                and not (name.startswith("c") and libraries.find(name[1:] + ".h"))]
    source, reached = libraries.included(standard)
    mapped = [path for path in reached if os.path.basename(path) not in AS_TEXT
              and (os.path.dirname(path) == cxx_folder or is_guarded_library(path))]
    yield module("standard", [source, *mapped], " [system]")
    for path in sorted(path for path in set(found.values()) - {None} - set(reached) if os.path.basename(path) not in AS_TEXT):
        yield module(name_of("library" + path), [path], " [system]")


def is_guarded_library(path):
    code = COMMENT.sub("", read(path))
    return bool(ONCE.match(code) or GUARD.match(code))


def name_of(path):
    return re.sub(r"\W", "_", str(path))


def arguments():
    words = sys.argv[1:]
    end = words.index("--")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("headers", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--include", type=pathlib.Path, action="append", default=[], help="a folder with more headers of the project")
    return parser.parse_args(words[:end]), words[end + 1:]


def main():
    options, command = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    headers = {name_of(name): options.root / name for name in read(options.headers).split()}
    texts = {name: read(path) for name, path in headers.items()}
    bare = [headers[name] for name, text in texts.items() if not is_guarded(text)]
    for path in bare:
        print(f"{path}: has no include guard: add #pragma once before its first line of code")
    if bare:
        sys.exit(1)

    others = {name_of(path): path for folder in options.include for path in sorted(folder.glob("**/*.h"))}
    used = {name for text in [*texts.values(), *map(read, others.values())] for name in INCLUDE.findall(text)}
    project = {os.path.realpath(path) for path in [*headers.values(), *others.values()]}
    libraries = Libraries(command, options.work)
    used = sorted(name for name in used if libraries.find(name) not in project)
    modules = [*library_modules(libraries, used),
               *(module(name, [path]) for name, path in {**headers, **others}.items())]
    module_map = options.work / "project.modulemap"
    write_if_changed(module_map, "".join(modules))
    source = options.work / "all_headers.cpp"
    write_if_changed(source, "".join(f"#pragma clang module import {name}\n" for name in headers))
    done = subprocess.run([*command, *MODULE_OPTIONS, f"-fmodule-map-file={module_map}",
                           f"-fmodules-cache-path={options.work / 'modules'}", str(source)])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
