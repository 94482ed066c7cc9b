"""Nodes that replay recordings, for pace.py and takeover.py: processes of warptune, and when their tasks began and ended."""

import pathlib
import subprocess
import threading
import time


class Node:
    """A node, and the moments at which it said that a task began or how it ended."""

    def __init__(self, warptune, address, recordings, state, options):
        command = [str(warptune), "node", "--store", address, "--replay", str(recordings), "--jobs", "16", "--state", str(state), *options]
        self.began, self.ended = [], []  # Pairs of a time and a task.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if ", GPU 0: " in line:
                task = line.split(", GPU 0: ")[0]  # `CAMPAIGN task INDEX`
                (self.ended if ", GPU 0: done, " in line else self.began).append((time.monotonic(), task))

    def wait(self):
        code = self.process.wait()
        self.reader.join()
        return code


def link_recordings(recordings, folder):
    """A folder with only these recordings, and the kernel of the first one."""
    folder.mkdir()
    for recording in recordings:
        (folder / recording.name).symlink_to(recording.resolve())
    return folder, recordings[0].name.rsplit("-", 1)[0]


def add_campaign(warptune, address, folder, name, kernel, tasks, budget):
    """Adds a campaign with one task for each seed of a search, to a store that is made if it is missing."""
    tables = "".join(f'[[tune]]\nkernel = "{kernel}"\nseed = {seed}\n' for seed in range(1, tasks + 1))
    file = pathlib.Path(folder) / "campaign.toml"
    file.write_text(f'name = "{name}"\n[defaults]\nstrategy = "random"\nbudget = {budget if str(budget).isdigit() else repr(budget)}\nmetrics = "none"\n{tables}')
    for command in (["init"], ["add", str(file)]):
        subprocess.run([str(warptune), "campaign", *command, "--store", address], check=True, stdout=subprocess.DEVNULL)
