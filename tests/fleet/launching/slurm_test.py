#!/usr/bin/env python3
"""slurm_test.py WARPTUNE: a campaign on a Slurm cluster of three nodes on this machine, by the commands of docs/fleet.md.

The nodes use recordings instead of GPUs. The exit code is 77, which means skipped, where Slurm is not installed: scripts/setup fleet
installs it."""

import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "tests/tools/documents")]
import slurm_cluster  # noqa: E402
from run_documented_commands import blocks_of  # noqa: E402

MAX_COMMANDS = 10
# The program, and recordings for its nodes.
WRAPPER = """#!/bin/bash
if [[ $1 == node ]]; then set -- "$@" --replay {recordings} --pace "${{NODE_PACE:-0}}"; fi
exec {program} "$@"
"""


def documented_commands():
    """The commands of docs/fleet.md from nothing to a campaign on Slurm."""
    scripts = [block.script() for block in blocks_of(ROOT / "docs/fleet.md") if "sbatch" in block.script()]
    return scripts[0].splitlines()


class CampaignOnSlurm(unittest.TestCase):
    program = None

    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="warptune-slurm-")
        self.addCleanup(home.cleanup)
        self.folder = pathlib.Path(home.name)
        for part in ("cluster", "tree/build/release", "states"):
            (self.folder / part).mkdir(parents=True)
        self.tree = self.folder / "tree"
        (self.tree / "examples").symlink_to(ROOT / "examples")
        wrapper = self.tree / "build/release/warptune"
        wrapper.write_text(WRAPPER.format(recordings=ROOT / "recordings", program=self.program))
        wrapper.chmod(0o755)
        self.cluster = slurm_cluster.SlurmCluster(self.folder / "cluster")
        self.cluster.environment.update(HOME=str(self.folder), TMPDIR=str(self.folder / "states"), CUDA_VISIBLE_DEVICES="-1",
                                        WARPTUNE_STORE=f"spool:{self.folder}/warptune-store",
                                        PATH=f"{wrapper.parent}:{self.cluster.environment['PATH']}")
        self.cluster.environment.pop("XDG_CACHE_HOME", None)
        self.cluster.environment.pop("XDG_DATA_HOME", None)
        self.cluster.__enter__()
        self.addCleanup(self.cluster.end)

    def outputs(self):
        return "".join(file.read_text() for file in sorted(self.tree.glob("slurm-*.out")))

    def shell(self, script):
        done = self.cluster.run("bash", "-euo", "pipefail", "-c", f"cd {self.tree}\n{script}", timeout=300)
        printed = done.stdout + done.stderr + self.outputs()
        self.assertEqual(done.returncode, 0, printed)
        return done.stdout, printed

    def check_campaign(self, printed):
        status = json.loads(self.shell("warptune campaign status nightly --format json")[0])
        self.assertEqual(status["tasks"]["done"], status["task_count"], printed)
        self.assertGreater(status["task_count"], 0)
        return [node["name"].split("-")[0] for node in status["nodes"]]

    def test_the_documented_commands_run_a_campaign(self):
        commands = documented_commands()
        self.assertLessEqual(len(commands), MAX_COMMANDS)
        self.assertTrue(commands[0].startswith("scripts/"), "the program is built here already")
        out, printed = self.shell("\n".join(commands[1:]))
        self.assertIn("NVIDIA H200", out)
        self.assertTrue(set(self.check_campaign(printed)) <= {"node1", "node2", "node3"}, printed)
        self.cluster.wait_for_nodes()
        self.assertEqual(os.listdir(self.folder / "states"), [], "no state is left")

    def status(self, campaign):
        return json.loads(self.shell(f"warptune campaign status {campaign} --format json")[0])

    def wait_for_tasks(self, campaign, state, count):
        deadline = time.monotonic() + 200
        while (status := self.status(campaign))["tasks"][state] != count:
            self.assertLess(time.monotonic(), deadline, f"{status} {self.outputs()}")
            time.sleep(1)

    def test_a_job_that_is_cancelled_or_reaches_its_time_limit_gives_its_task_back(self):
        (self.tree / "long.toml").write_text('name = "long"\n[[tune]]\nkernel = "transpose"\nbudget = 1000\nseed = 1\n'
                                             '[[tune]]\nkernel = "transpose"\nbudget = 1000\nseed = 2\n')
        self.cluster.environment["NODE_PACE"] = "8"  # The tasks take about 3 minutes, and a session that is cancelled at most 5 s.
        out = self.shell("warptune campaign init; warptune campaign add long.toml\n"
                         "sbatch --parsable --gpus-per-node=1 examples/fleet/nodes.sbatch\n"
                         "sbatch --parsable --gpus-per-node=1 --time=2 examples/fleet/nodes.sbatch")[0]
        self.wait_for_tasks("long", "leased", 2)
        self.shell(f"scancel {out.splitlines()[-2]}")
        self.wait_for_tasks("long", "leased", 1)
        self.wait_for_tasks("long", "leased", 0)  # Slurm signals the other job a minute before its limit of two.
        self.cluster.wait_for_nodes()
        status = self.status("long")
        self.assertEqual(status["tasks"]["open"], 2)
        self.assertEqual([(node["has_left"], node["lost_count"]) for node in status["nodes"]], [(True, 0)] * 2)
        self.assertEqual(os.listdir(self.folder / "states"), [], "no state is left")

    def test_srun_starts_a_node_on_each_machine(self):
        printed = self.shell("warptune campaign init; warptune campaign add examples/fleet/nightly.toml\n"
                             "examples/fleet/nodes-by-srun 3")[1]
        self.assertEqual(sorted(self.check_campaign(printed)), ["node1", "node2", "node3"])


def main():
    if missing := slurm_cluster.missing_programs():
        print(f"skipped: {', '.join(missing)} not installed; scripts/setup fleet installs Slurm")
        sys.exit(77)
    CampaignOnSlurm.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
