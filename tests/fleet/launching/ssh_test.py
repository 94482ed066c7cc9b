#!/usr/bin/env python3
"""ssh_test.py WARPTUNE: a campaign whose nodes examples/fleet/nodes-by-ssh starts, through a server of ssh on this machine.

The exit code is 77, which means skipped, where OpenSSH's server is not installed: scripts/setup fleet installs it."""

import contextlib
import getpass
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from slurm_cluster import environment, free_ports

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/fleet"
SERVER = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/key.pub
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
UsePAM no
SetEnv PATH={path} TMPDIR={folder} CUDA_VISIBLE_DEVICES=-1 WARPTUNE_SHARE={share}
"""
CLIENT = """Host gpu01 gpu02
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


class CampaignBySsh(unittest.TestCase):
    program = None

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="warptune-ssh-")
        self.addCleanup(self.home.cleanup)
        self.folder = pathlib.Path(self.home.name)
        (self.folder / "bin").mkdir()
        self.environment = {**environment(), "HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": "-1",
                            "WARPTUNE_STORE": f"spool:{self.folder}/store",
                            "PATH": f"{self.folder}/bin:{self.program.parent}:{os.environ['PATH']}"}
        self.start_server()

    def start_server(self):
        for key in ("host_key", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key], check=True)
        values = {"port": free_ports(1), "folder": self.folder, "user": getpass.getuser(), "path": self.environment["PATH"],
                  "share": os.environ.get("WARPTUNE_SHARE", "")}
        (self.folder / "sshd_config").write_text(SERVER.format(**values))
        (self.folder / "ssh_config").write_text(CLIENT.format(**values))
        client = self.folder / "bin/ssh"
        client.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/ssh_config "$@"\n')
        client.chmod(0o755)
        if os.getuid() == 0:
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)  # The server needs it if root starts it.
        subprocess.run([shutil.which("sshd", path=environment()["PATH"]), "-f", self.folder / "sshd_config",
                        "-E", self.folder / "sshd.log"], check=True)
        self.addCleanup(self.end_server)
        deadline = time.monotonic() + 30
        while not (self.folder / "sshd.pid").exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    def end_server(self):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int((self.folder / "sshd.pid").read_text()), signal.SIGTERM)

    def run_here(self, *command, code=0, **variables):
        done = subprocess.run(list(map(str, command)), env={**self.environment, **variables}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_two_hosts_run_a_campaign(self):
        self.run_here(self.program, "campaign", "init")
        self.run_here(self.program, "campaign", "add", EXAMPLES / "nightly.toml")
        hosts = self.folder / "hosts"
        hosts.write_text("# the machines\ngpu01\ngpu02\n")
        nodes = self.run_here(EXAMPLES / "nodes-by-ssh", hosts, "--replay", ROOT / "recordings", "--pace", "0")
        self.assertIn("gpu01: ", nodes.stdout)
        status = json.loads(self.run_here(self.program, "campaign", "status", "nightly", "--format", "json").stdout)
        self.assertEqual(status["tasks"]["done"], status["task_count"], nodes.stdout)
        self.assertEqual(sorted(node["name"] for node in status["nodes"]), ["gpu01", "gpu02"])

    def test_a_password_in_the_address_is_refused(self):
        hosts = self.folder / "hosts"
        hosts.write_text("gpu01\n")
        refused = self.run_here(EXAMPLES / "nodes-by-ssh", hosts, code=2, WARPTUNE_STORE="postgresql://me:secret@host/warptune")
        self.assertIn("PGPASSFILE", refused.stderr)
        self.assertNotIn("secret", refused.stderr)


def main():
    if not shutil.which("sshd", path=environment()["PATH"]):
        print("skipped: OpenSSH's server is not installed; scripts/setup fleet installs it")
        sys.exit(77)
    shell = pwd.getpwuid(os.getuid()).pw_shell
    if shell.endswith(("nologin", "false")):
        print(f"skipped: the server lets nobody in whose shell is {shell}")
        sys.exit(77)
    CampaignBySsh.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
