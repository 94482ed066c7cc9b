#!/usr/bin/env python3
"""slow_network_test.py WARPTUNE: nodes whose packets to a server of PostgreSQL come late, and whose connections break again and again.

The exit code is 77, which means skipped, where PostgreSQL's server is not installed."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import postgresql_server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RECORDING = ROOT / "recordings/transpose-h200.wtrec.zst"
LIMIT_S = 400
EVALUATIONS = 30
TASKS = 4


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class SlowNetwork(unittest.TestCase):
    program = None

    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="warptune-net-")
        self.addCleanup(home.cleanup)
        self.folder = pathlib.Path(home.name)
        self.folder.chmod(0o755)
        (self.folder / "recordings").mkdir()
        shutil.copy(RECORDING, self.folder / "recordings")
        self.environment = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder),
                            "CUDA_VISIBLE_DEVICES": "-1", "PGSSLMODE": "disable"}
        self.server = postgresql_server.Server(self.folder / "server", free_port())
        self.addCleanup(self.server.stop)

    def start_proxy(self, delay_ms, cut_after_s):
        command = [sys.executable, HERE / "slow_proxy.py", self.server.port, delay_ms, cut_after_s, self.folder / "counts"]
        proxy = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)
        self.addCleanup(proxy.stdout.close)
        return f"postgresql://{postgresql_server.OWNER}@127.0.0.1:{int(proxy.stdout.readline())}/{postgresql_server.OWNER}"

    def run_here(self, *arguments):
        done = subprocess.run([str(self.program), *map(str, arguments)], env=self.environment, capture_output=True, text=True,
                              timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def add_campaign(self):
        tables = "".join(f'[[tune]]\nkernel = "transpose"\nseed = {seed}\n' for seed in range(1, TASKS + 1))
        (self.folder / "c.toml").write_text(
            f'name = "c"\n[defaults]\nstrategy = "random"\nbudget = {EVALUATIONS}\nmetrics = "none"\n{tables}')
        self.run_here("campaign", "init", "--store", self.server.local_address())
        self.run_here("campaign", "add", self.folder / "c.toml", "--store", self.server.local_address())

    def run_nodes(self, address):
        """Runs two nodes until everything is done. Returns what they have printed, and the seconds."""
        start = time.monotonic()
        nodes, outputs = [], []
        for number in (1, 2):
            outputs.append(self.folder / f"node-{number}.txt")
            with open(outputs[-1], "w", encoding="utf-8") as stream:
                nodes.append(subprocess.Popen(
                    [self.program, "node", "--name", f"machine-{number}", "--until-done", "--store", address, "--replay",
                     self.folder / "recordings", "--pace", "1", "--state", self.folder / f"state-{number}", "--publish-every", "0.5",
                     "--poll-every", "0.2"], env=self.environment, stdout=stream, stderr=stream))
            self.addCleanup(nodes[-1].wait)
            self.addCleanup(nodes[-1].kill)
        codes = [node.wait(LIMIT_S) for node in nodes]
        printed = "".join(output.read_text(encoding="utf-8") for output in outputs)
        self.assertEqual(codes, [0, 0], printed)
        return printed, time.monotonic() - start

    def expect_done(self, printed):
        """Returns how many rows the store has."""
        for task in range(TASKS):
            ends = self.server.rows(f"SELECT ended_as FROM warptune.attempt WHERE task = {task}")
            self.assertEqual(ends.count("done"), 1, f"task {task} is closed by one report: {ends}\n{printed}")
        return json.loads(self.run_here("db", "info", "--db", self.server.local_address(), "--format", "json"))["measurement_count"]

    def test_late_packets_only_cost_time(self):
        self.add_campaign()
        printed, seconds = self.run_nodes(self.start_proxy(150, 0))
        self.assertEqual(self.expect_done(printed), TASKS * EVALUATIONS)
        counts = json.loads((self.folder / "counts").read_text())
        self.assertGreater(counts["delayed"], 100)
        attempts = self.server.rows("SELECT ended_as FROM warptune.attempt")
        self.assertEqual(attempts, ["done"] * TASKS, "late packets end no lease")
        print(f"{counts['delayed']} pieces were delayed by 150 ms; the campaign took {seconds:.0f} s", flush=True)

    def test_connections_that_break_lose_nothing(self):
        self.add_campaign()
        printed, seconds = self.run_nodes(self.start_proxy(20, 2))
        # What was measured after the last batch that arrived is measured again, in a session of its own.
        self.assertGreaterEqual(self.expect_done(printed), TASKS * EVALUATIONS)
        counts = json.loads((self.folder / "counts").read_text())
        self.assertGreater(counts["cut"], 3)
        print(f"{counts['cut']} connections were reset; the campaign took {seconds:.0f} s", flush=True)


def main():
    if not postgresql_server.programs():
        print("skipped: PostgreSQL's server is not installed (scripts/setup checks)")
        sys.exit(77)
    SlowNetwork.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
