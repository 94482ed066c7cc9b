"""The command that compiles each source of a build folder. If sources are compiled in batches, it is the command of their batch."""

import json
import pathlib
import re


def commands_of(build):
    """By the source's path: (command, folder to run it in, what it compiles)."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        compiled = pathlib.Path(entry["file"])
        sources = [compiled]
        if compiled.parent.name == "Unity":
            sources = [pathlib.Path(path) for path in re.findall(r'^#include "(.*)"$', compiled.read_text(), re.MULTILINE)]
        for source in sources:
            commands.setdefault(source, (entry["command"], entry["directory"], compiled))
    return commands
