#!/usr/bin/env python3
"""partition_test.py WARPTUNE: nodes in network namespaces, and a server of PostgreSQL in another, between which packets get lost.
slow_network_test.py has networks that are slow.

The exit code is 77, which means skipped, where namespaces are not allowed or PostgreSQL's server is not installed."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import networks
import postgresql_server

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDING = ROOT / "recordings/transpose-h200.wtrec.zst"
LIMIT_S = 240
EVALUATIONS = 30
OWNER = postgresql_server.OWNER


class Partition(unittest.TestCase):
    program = None

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="warptune-net-")
        self.addCleanup(self.home.cleanup)
        self.folder = pathlib.Path(self.home.name)
        self.folder.chmod(0o755)
        (self.folder / "recordings").mkdir()
        shutil.copy(RECORDING, self.folder / "recordings")
        self.environment = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": "-1",
                            "PGSSLMODE": "disable"}
        self.networks = networks.Networks(2)
        self.addCleanup(self.networks.remove)
        self.nodes = []
        self.server = postgresql_server.Server(self.folder / "server", prefix=["ip", "netns", "exec", self.networks.server],
                                               trusted="10.77.0.0/16")
        self.local = self.server.local_address()
        self.value = self.server.rows  # By the socket, which is never cut.
        self.addCleanup(self.end_processes)

    def end_processes(self):
        for process in self.nodes:
            process.kill()
            process.wait()
        self.server.stop()

    def wait_until(self, condition, what, limit=LIMIT_S):
        end = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), end, f"not within {limit} s: {what}")
            time.sleep(0.2)

    def run_here(self, *arguments):
        done = subprocess.run([str(self.program), *map(str, arguments), "--store", self.local], env=self.environment, capture_output=True,
                              text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def add_campaign(self, tasks):
        tables = "".join(f'[[tune]]\nkernel = "transpose"\nseed = {seed}\n' for seed in range(1, tasks + 1))
        (self.folder / "c.toml").write_text(
            f'name = "c"\n[defaults]\nstrategy = "random"\nbudget = {EVALUATIONS}\nmetrics = "none"\n{tables}')
        self.run_here("campaign", "init")
        self.run_here("campaign", "add", self.folder / "c.toml")

    def start_node(self, number, pace):
        output = self.folder / f"node-{number}.txt"
        with open(output, "w", encoding="utf-8") as stream:
            self.nodes.append(subprocess.Popen(
                ["ip", "netns", "exec", self.networks.machine(number), self.program, "node", "--name", f"machine-{number}", "--until-done",
                 "--store", f"postgresql://{OWNER}@10.77.{number}.1/{OWNER}", "--replay", self.folder / "recordings", "--pace", str(pace),
                 "--state", self.folder / f"state-{number}"], env=self.environment, stdout=stream, stderr=stream))
        return output

    def ends(self):
        return self.value("SELECT n.content ->> 'name' || ' ' || ended_as FROM warptune.attempt a JOIN warptune.node n ON n.id = a.node"
                          " ORDER BY task, fence")

    def expect_done(self, tasks):
        status = json.loads(self.run_here("campaign", "status", "c", "--format", "json"))
        self.assertEqual(status["tasks"]["done"], tasks)
        for task in range(tasks):
            closed = self.value(f"SELECT count(*) FROM warptune.attempt WHERE task = {task} AND ended_as IN ('done', 'failed')")
            self.assertEqual(closed, ["1"], "one report closes a task")
        self.assertEqual([node.wait(LIMIT_S) for node in self.nodes], [0] * len(self.nodes))

    def test_another_node_takes_over_and_the_late_report_closes_nothing(self):
        self.add_campaign(1)
        slow = self.start_node(1, 25)
        self.wait_until(lambda: "task 0" in slow.read_text(), "the first node begins the task")
        self.networks.cut(1)
        cut = time.monotonic()
        self.start_node(2, 0)
        self.wait_until(lambda: "machine-2 done" in self.ends(), "the second node takes over and ends the task")
        print(f"taken over and done {time.monotonic() - cut:.0f} s after the cut", flush=True)
        self.wait_until(lambda: "reported later" in slow.read_text(), "the first node ends its session alone")
        time.sleep(max(0.0, cut + 90 - time.monotonic()))
        self.networks.join(1)
        self.wait_until(lambda: self.nodes[0].poll() is not None, "the first node reports and ends")
        self.assertEqual(self.ends(), ["machine-1 superseded", "machine-2 done"], slow.read_text())
        late = self.value("SELECT count(*) FROM warptune.batch b JOIN warptune.node n ON n.id = b.node WHERE n.content ->> 'name' = 'machine-1'")
        self.assertGreater(int(late[0]), 0, "the rows of the first node are stored")
        self.expect_done(1)

    def test_a_node_notices_a_half_open_connection(self):
        self.add_campaign(1)
        output = self.start_node(1, 40)
        self.wait_until(lambda: int(self.value("SELECT count(*) FROM warptune.batch")[0]) > 0, "the node publishes")
        self.networks.cut(1)
        cut = time.monotonic()
        self.wait_until(lambda: "rows are published later" in output.read_text(), "the node notices the cut")
        print(f"noticed {time.monotonic() - cut:.0f} s after the cut: {output.read_text().splitlines()[-1]}", flush=True)
        self.networks.join(1)
        self.wait_until(lambda: self.nodes[0].poll() is not None, "the node ends")
        self.expect_done(1)


def main():
    reason = networks.reason_to_skip()
    if not reason and not postgresql_server.programs():
        reason = "PostgreSQL's server is not installed (scripts/setup checks)"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    Partition.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
