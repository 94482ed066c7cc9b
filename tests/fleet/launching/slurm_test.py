#!/usr/bin/env python3
"""slurm_test.py WARPTUNE: a campaign on a Slurm cluster of three nodes on this machine, by the files that docs/fleet.md names.

The exit code is 77, which means skipped, where Slurm is not installed: scripts/setup fleet installs it."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import slurm_cluster

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/fleet"
REPLAY = ("--replay", ROOT / "recordings", "--pace", "0")


class CampaignOnSlurm(unittest.TestCase):
    program = None

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="warptune-slurm-")
        self.addCleanup(self.home.cleanup)
        folder = pathlib.Path(self.home.name)
        (folder / "cluster").mkdir()
        self.cluster = slurm_cluster.SlurmCluster(folder / "cluster")
        self.cluster.environment.update(PATH=f"{self.program.parent}:{self.cluster.environment['PATH']}", HOME=str(folder),
                                        WARPTUNE_STORE=f"spool:{folder}/store", CUDA_VISIBLE_DEVICES="-1")
        self.cluster.__enter__()
        self.addCleanup(self.cluster.end)
        self.folder = folder

    def warptune(self, *arguments):
        done = self.cluster.run(self.program, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_campaign(self, *command):
        self.warptune("campaign", "init")
        self.warptune("campaign", "add", EXAMPLES / "nightly.toml")
        done = self.cluster.run(*command, timeout=300)
        printed = "\n".join(file.read_text() for file in sorted(self.folder.glob("slurm-*.out")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + printed)
        status = json.loads(self.warptune("campaign", "status", "nightly", "--format", "json"))
        self.assertEqual(status["tasks"]["done"], status["task_count"], printed)
        self.assertEqual(len(status["nodes"]), slurm_cluster.NODES)
        results = json.loads(self.warptune("campaign", "results", "nightly", "--format", "json"))["results"]
        self.assertTrue(all(result["winner"] for result in results))
        return status

    def test_sbatch_runs_a_campaign(self):
        status = self.run_campaign("sbatch", "--wait", f"--chdir={self.folder}", "--array=0-2", "--cpus-per-task=2",
                                   EXAMPLES / "nodes.sbatch", *REPLAY)
        self.assertEqual(sorted(node["name"].split("-")[0] for node in status["nodes"]), ["node1", "node2", "node3"])
        self.assertEqual(list(pathlib.Path(os.environ.get("TMPDIR", "/tmp")).glob("warptune-node-*")), [], "no state is left")

    def test_srun_runs_a_campaign(self):
        self.run_campaign(EXAMPLES / "nodes-by-srun", "3", *REPLAY)


def main():
    if missing := slurm_cluster.missing_programs():
        print(f"skipped: {', '.join(missing)} not installed; scripts/setup fleet installs Slurm")
        sys.exit(77)
    CampaignOnSlurm.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
