#!/usr/bin/env python3
"""scripts/setup and scripts/build, with stand-ins for the package system, on a copy of the tree."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from repository import ROOT

# Each stand-in writes its call into $CALLS; the files named here decide how it ends.
STAND_INS = {
    "dpkg-query": 'test -e "$STATE/installed" && printf installed',
    "apt-get": 'test ! -e "$STATE/apt-fails" && touch "$STATE/installed"',
    "id": 'cat "$STATE/uid"',
    "sudo": 'test -e "$STATE/sudo-works" && { shift $([ "$1" = -n ] && echo 1 || echo 0); "$@"; }',
    "cmake": 'case "$*" in *WarptuneCuda*) test -e "$STATE/cuda/nvrtc.h" && echo "-- CUDA: $STATE/cuda" ;; '
             '*--preset*) mkdir -p build/dev && echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/dev/CMakeCache.txt '
             '&& touch build/dev/build.ninja ;; esac',
    "python3": 'test -e "$STATE/pypi" && case "$*" in *"pip download"*) mkdir -p "$STATE/cuda" && touch '
               '"$STATE/cuda/nvrtc.h" "${@: -6:1}/a.whl" ;; esac',
    "ninja": 'test ! -e "$STATE/ninja-fails" || { echo "x.cpp:1:1: error: no such thing"; false; }',
}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree, self.state, self.calls = self.folder / "tree", self.folder / "state", self.folder / "calls"
        for path in (self.tree, self.state, self.folder / "bin"):
            path.mkdir()
        for name in ("scripts", "cmake"):
            shutil.copytree(ROOT / name, self.tree / name)
        for name, body in STAND_INS.items():
            path = self.folder / "bin" / name
            path.write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n{body}\n')
            path.chmod(0o755)
        self.set("uid", "0")

    def set(self, name, text=""):
        (self.state / name).parent.mkdir(exist_ok=True)
        (self.state / name).write_text(text)

    def run_script(self, *command):
        """Exit code, what was said, and the programs called."""
        self.calls.write_text("")
        environment = os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "STATE": str(self.state),
                                    "CALLS": str(self.calls)}
        environment.pop("WARPTUNE_SKIP_SETUP", None)
        done = subprocess.run([str(self.tree / "scripts" / command[0]), *command[1:]], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.stdout, "", "stdout belongs to warptune")
        return done.returncode, done.stderr, self.calls.read_text()

    def test_missing_packages_are_installed_once(self):
        self.set("cuda/nvrtc.h")
        code, said, calls = self.run_script("setup", "build")
        self.assertEqual(code, 0, said)
        self.assertRegex(calls, r"apt-get .*install --no-install-recommends g\+\+ cmake")
        self.assertNotIn("clang", calls)
        code, said, calls = self.run_script("setup", "build")
        self.assertEqual((code, said), (0, ""))
        self.assertNotIn("dpkg-query", calls)
        self.assertNotIn("cmake", calls)

    def test_a_changed_package_list_is_looked_at_again(self):
        self.set("cuda/nvrtc.h")
        self.run_script("setup", "build")
        with (self.tree / "scripts" / "packages.txt").open("a") as packages:
            packages.write("\n[build]\nanother\n")
        self.assertIn("another", self.run_script("setup", "build")[2])

    def test_a_user_who_cannot_install_is_told_the_command(self):
        self.set("uid", "1000")
        code, said, calls = self.run_script("setup", "build")
        self.assertEqual(code, 3)
        self.assertRegex(said, r"as root: apt-get install .* cmake")
        self.assertEqual(said.count("\n"), 1)
        self.assertNotIn("apt-get", calls)

    def test_a_user_with_sudo_installs(self):
        self.set("cuda/nvrtc.h")
        self.set("uid", "1000")
        self.set("sudo-works")
        code, said, calls = self.run_script("setup", "build")
        self.assertEqual(code, 0, said)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", calls)

    def test_a_failing_apt_and_an_unknown_section_fail(self):
        self.set("apt-fails")
        self.assertEqual(self.run_script("setup", "build")[0], 3)
        self.assertEqual(self.run_script("setup", "none")[0], 3)

    def test_without_a_toolkit_the_wheels_are_fetched_or_the_toolkit_is_named(self):
        self.set("installed")
        code, said, _ = self.run_script("setup", "build")
        self.assertEqual(code, 3)
        self.assertIn("install the CUDA Toolkit 13", said)
        self.set("pypi")
        code, said, calls = self.run_script("setup", "build")
        self.assertEqual(code, 0, said)
        self.assertIn("nvidia-cuda-nvrtc==13.0.*", calls)
        (self.state / "cuda" / "nvrtc.h").unlink()
        self.assertIn("nvidia-cuda-nvrtc==13.0.*", self.run_script("setup", "build")[2], "fetched again when they are gone")

    def test_build_configures_once_and_again_in_a_moved_tree(self):
        (self.tree / "CMakePresets.json").write_text("{}")
        self.assertIn("--preset dev", self.run_script("build", "dev", "warptune")[2])
        calls = self.run_script("build", "dev", "warptune")[2]
        self.assertNotIn("--preset", calls)
        self.assertIn("ninja -C build/dev warptune", calls)
        self.tree = self.tree.rename(self.folder / "moved")
        self.assertIn("--preset dev", self.run_script("build", "dev")[2])

    def test_a_failing_build_shows_the_error_and_where_the_log_is(self):
        (self.tree / "CMakePresets.json").write_text("{}")
        self.set("ninja-fails")
        code, said, _ = self.run_script("build", "dev")
        self.assertEqual(code, 1)
        self.assertIn("no such thing", said)
        self.assertIn("build/dev.log", said)


if __name__ == "__main__":
    unittest.main()
