#!/usr/bin/env python3
"""scripts/setup, scripts/build and scripts/test, with stand-ins for the package system, on a copy of the tree."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from repository import ROOT

# Each stand-in writes its call into $CALLS; the files named here decide how it ends.
STAND_INS = {
    "dpkg-query": 'test -e "$STATE/installed" && printf installed',
    "apt-get": 'test ! -e "$STATE/apt-fails" && touch "$STATE/installed"',
    "id": 'cat "$STATE/uid"',
    "sudo": 'test -e "$STATE/sudo-works" && { shift $([ "$1" = -n ] && echo 1 || echo 0); "$@"; }',
    "cmake": 'case "$*" in *WarptuneCuda*) test -e "$STATE/cuda/nvrtc.h" && echo "-- CUDA: $STATE/cuda" ;; '
             '*--preset*) tree=build/${@: -1}; mkdir -p $tree && echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >$tree/CMakeCache.txt '
             '&& touch $tree/build.ninja ;; esac',
    "ctest": 'echo "files in ${TMPDIR:-}" >>"$CALLS"; [[ -z ${TMPDIR:-} ]] || touch "$TMPDIR/left"; test ! -e "$STATE/slow" || sleep 60; '
             'test ! -e "$STATE/test-fails"',
    "gcovr": 'case "$*" in *fail-under-line*) test ! -e "$STATE/below" ;; esac',
    "python3": 'if [[ $* == "-m venv "* ]]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; exit; fi; '
               'test -e "$STATE/pypi" && case "$*" in *"pip download"*) mkdir -p "$STATE/cuda" && touch '
               '"$STATE/cuda/nvrtc.h" "${@: -6:1}/a.whl" ;; esac',
    "ninja": 'test ! -e "$STATE/ninja-fails" || { echo "x.cpp:1:1: error: no such thing"; false; }',
}


def read_or_nothing(path):
    """What a file of /proc has. Empty if its process has ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


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
        shutil.copy(ROOT / "pyproject.toml", self.tree)
        for name, body in STAND_INS.items():
            path = self.folder / "bin" / name
            path.write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n{body}\n')
            path.chmod(0o755)
        self.set("uid", "0")
        self.added = {}  # To the environment.

    def set(self, name, text=""):
        (self.state / name).parent.mkdir(exist_ok=True)
        (self.state / name).write_text(text)

    def environment(self):
        environment = os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "STATE": str(self.state),
                                    "CALLS": str(self.calls), "WARPTUNE_PYTHON": "python3"}
        for name in ("WARPTUNE_SKIP_SETUP", "TMPDIR"):
            environment.pop(name, None)
        return environment | self.added

    def run_script(self, *command):
        """The exit code, the output, and the programs that were called."""
        self.calls.write_text("")
        environment = self.environment()
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

    def test_a_changed_package_list_is_checked_again(self):
        self.set("cuda/nvrtc.h")
        self.run_script("setup", "build")
        with (self.tree / "scripts" / "packages.txt").open("a") as packages:
            packages.write("\n[build]\nanother\n")
        self.assertIn("another", self.run_script("setup", "build")[2])

    def test_without_permission_to_install_the_message_has_the_command(self):
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

    def test_the_environment_of_the_python_package_is_made_once_and_after_changes(self):
        self.set("installed")
        self.set("cuda/nvrtc.h")
        code, said, _ = self.run_script("setup", "build", "python")
        self.assertEqual(code, 3)
        self.assertIn("let pip reach PyPI", said)
        self.set("pypi")
        code, said, calls = self.run_script("setup", "build", "python")
        self.assertEqual(code, 0, said)
        self.assertRegex(calls, "pip install .* nanobind==.* pytest==")
        self.assertNotIn("pip", self.run_script("setup", "build", "python")[2])
        project = self.tree / "pyproject.toml"
        project.write_text(project.read_text().replace("pytest==", "pytest==1."))
        self.assertIn("pytest==1.", self.run_script("setup", "build", "python")[2])
        shutil.rmtree(self.tree / "build" / "python")
        self.assertIn("-m venv", self.run_script("setup", "build", "python")[2], "made again when it is gone")

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

    def run_test(self, *arguments):
        (self.tree / "CMakePresets.json").write_text("{}")
        shutil.copytree(ROOT / "tests" / "tools", self.tree / "tests" / "tools", dirs_exist_ok=True)
        for module in ("model", "python", "search", "tuner", "tools"):
            (self.tree / "tests" / module).mkdir(parents=True, exist_ok=True)
            (self.tree / "tests" / module / "CMakeLists.txt").touch()
        for name in ("installed", "pypi", "cuda/nvrtc.h"):
            self.set(name)
        code, said, calls = self.run_script("test", *arguments)
        return code, said, [line.split() for line in calls.splitlines() if line.startswith(("ninja ", "ctest "))]

    def test_all_tests_but_those_of_a_gpu_and_the_long_ones_are_built_and_run(self):
        code, said, ((*ninja,), (*ctest,)) = self.run_test("-R", "space")
        self.assertEqual(code, 0, said)
        self.assertEqual(ninja, ["ninja", "-C", "build/release"])
        self.assertEqual(ctest[-4:], ["-LE", "^(gpu|long)$", "-R", "space"])
        self.assertEqual(self.run_test("--long")[2][1][-2:], ["-LE", "^(gpu)$"])
        self.assertEqual(self.run_test("--gpu")[2][1][-2:], ["-LE", "^(long)$"])
        self.assertNotIn("-LE", self.run_test("--gpu", "--long")[2][1])

    def files_of_tests(self):
        return pathlib.Path(next(line for line in self.calls.read_text().splitlines() if line.startswith("files in ")).split(" ")[2] or "/")

    def test_files_of_tests_are_in_memory_or_where_the_user_says_and_do_not_stay(self):
        self.run_test()
        folder = self.files_of_tests()
        self.assertIn(folder.parent, (pathlib.Path("/dev/shm"), pathlib.Path("/")))
        self.assertTrue(folder == pathlib.Path("/") or not folder.exists())
        self.set("test-fails")
        self.assertEqual(self.run_test()[0], 1)
        self.assertTrue(self.files_of_tests() == pathlib.Path("/") or not self.files_of_tests().exists())
        self.added = {"TMPDIR": str(self.state)}
        self.run_test()
        self.assertEqual(self.files_of_tests(), self.state)
        self.assertTrue((self.state / "left").exists())

    def test_a_signal_to_the_script_ends_the_tests_before_their_files_are_removed(self):
        self.run_test()
        self.set("slow")
        self.calls.write_text("")
        script = subprocess.Popen([str(self.tree / "scripts" / "test")], env=self.environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        groups = []
        while not groups and time.monotonic() < deadline:  # The process sleeps after it has written which files it has.
            time.sleep(0.05)
            if "files in" in self.calls.read_text():
                groups = [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/environ")
                          if f"STATE={self.state}".encode() in read_or_nothing(path) and b"sleep" in read_or_nothing(path.with_name("cmdline"))]
        group = groups[0]
        script.terminate()
        self.assertEqual(script.wait(timeout=30), 130)
        self.assertFalse(pathlib.Path(f"/proc/{group}").exists(), "the test still runs")
        self.assertTrue(self.files_of_tests() == pathlib.Path("/") or not self.files_of_tests().exists())

    def test_a_module_by_its_name_builds_and_runs_its_tests_alone(self):
        code, said, (ninja, ctest) = self.run_test("search", "tuner", "--rerun-failed")
        self.assertEqual(code, 0, said)
        self.assertEqual(ninja[3:], ["tests_of_search", "tests_of_tuner"])
        self.assertEqual(ctest[-3:], ["-L", "^(search|tuner)$", "--rerun-failed"])
        self.assertEqual(self.run_test("--asan", "search")[2][0][2:], ["build/asan", "tests_of_search"])

    def test_coverage_counts_anew_and_fails_below_90_percent_of_any_module(self):
        old = self.tree / "build" / "coverage" / "a.gcda"
        old.parent.mkdir(parents=True)
        old.touch()
        code, said, (ninja, ctest) = self.run_test("--coverage", "-j", "1")
        self.assertEqual(code, 0, said)
        self.assertFalse(old.exists())
        self.assertEqual(ninja[2:], ["build/coverage", "tests_of_model", "tests_of_search", "tests_of_profiling"])
        self.assertIn("^(model|search|profiling)$", ctest)
        calls = [line for line in self.calls.read_text().splitlines() if line.startswith("gcovr ")]
        self.assertIn("--exclude profiling/driver/launcher.cpp", calls[0])
        self.assertNotIn("#", calls[0])
        self.assertEqual([call.split("--filter ")[1] for call in calls[1:]],
                         [f"{module}/ --txt --fail-under-line 90" for module in ("model", "search", "profiling")])
        self.set("below")
        code, said, _ = self.run_test("--coverage")
        self.assertEqual(code, 1)
        self.assertIn("below 90 %", said)

    def test_coverage_does_not_go_with_a_gpu(self):
        code, said, calls = self.run_test("--coverage", "--gpu")
        self.assertEqual((code, calls), (2, []))

    def test_the_message_about_an_unknown_module_lists_the_modules(self):
        code, said, calls = self.run_test("serch")
        self.assertEqual((code, calls), (2, []))
        self.assertIn("python search tools tuner", said)


if __name__ == "__main__":
    unittest.main()
