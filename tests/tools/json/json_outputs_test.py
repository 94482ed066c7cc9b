#!/usr/bin/env python3
"""Runs every command with --format json, without a GPU, and compares each output with its schema.

    json_outputs_test.py WARPTUNE FAKE_GPU_WORKER

The exit code is 77, which means skipped, where jsonschema is not installed. Another test writes every event of a session
(tests/tuner/json_output/progress_lines_test.cpp)."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_json
from repository import ROOT

KERNEL = "vector_add"
RECORDING = ROOT / "recordings/vector_add-h200.wtrec.zst"
# A smaller recording, so that explain is fast.
HOST_PROGRAM = ROOT / "examples/host_program/rows.cu"
EXPLAINED = ROOT / "recordings/dot-h200.wtrec.zst"
SURVEY = ROOT / "tests/survey/data/version1.wtsurvey.zst"
CAPTURE = ROOT / "tests/survey/data/version1.wtcapture.zst"
COUNTED_SURVEY = ROOT / "tests/survey/data/version2.wtsurvey.zst"
FOREIGN = {"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x"], "tune_params": {"x": [1, 2, 3]},
           "cache": {str(x): {"x": x, "time": 1.0 / x, "times": [1.0 / x]} for x in (1, 2, 3)}}
TUNE = ["tune", KERNEL, "--replay", str(RECORDING), "--budget", "40"]


class JsonOutputs(unittest.TestCase):
    program = worker = None

    @classmethod
    def setUpClass(cls):
        cls.checker = check_json.Checker()
        cls.home = tempfile.TemporaryDirectory(prefix="warptune-json-")
        cls.environment = {**os.environ, "HOME": cls.home.name, "XDG_DATA_HOME": cls.home.name + "/data", "CUDA_VISIBLE_DEVICES": "-1"}
        cls.environment.pop("WARPTUNE_WORKER", None)
        cls.run_program([*TUNE, "--objective", "time,registers"])
        cls.run_program(TUNE)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    @classmethod
    def run_program(cls, arguments, **variables):
        return subprocess.run([cls.program, *map(str, arguments)], env={**cls.environment, **variables}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, cwd=cls.home.name, timeout=300)

    def output_of(self, *arguments, code=0, **variables):
        """The only document on standard output, which its schema describes."""
        done = self.run_program([*arguments, "--format", "json"], **variables)
        self.assertEqual(done.returncode, code, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(self.checker.problems_of(document), [], " ".join(map(str, arguments)))
        return document

    def test_outputs_of_all_commands(self):
        fake = {"WARPTUNE_WORKER": str(self.worker)}
        foreign = pathlib.Path(self.home.name) / "foreign.json"
        foreign.write_text(json.dumps(FOREIGN))
        for arguments, variables in (
                ([*TUNE[:-1], "45"], {}), (["tune", KERNEL, "--budget", "3", "--fresh", "--compile-cache", "none"], fake),
                (["recheck", KERNEL, "--dry-run"], fake), (["recheck", KERNEL, "--compile-cache", "none"], fake),
                (["cover", KERNEL, "--sizes", "N=1000..4000", "--budget", "8", "--checks", "1", "--check-budget", "2"], fake),
                (["query", KERNEL], {}), (["query", KERNEL, "--size", "N=100", "--explain"], {}),
                (["query", KERNEL, "--portable"], {}), (["export", KERNEL, "--portable"], {}),
                (["query", KERNEL, "--portable=mean", "--gpu", "fictional", "--gpu", "cc=80,sms=108", "--size", "N=100"], {}),
                (["query", KERNEL, "--size", "N=1024", "--objective", "time,registers"], {}),
                (["profile", RECORDING], {}), (["explain", EXPLAINED], {}), (["explain", EXPLAINED, "--from", "BLOCK=128"], {}),
                (["profile", HOST_PROGRAM, "--default", "--compile-cache", "none"], fake),
                (["profile", HOST_PROGRAM, "--default", "--stored"], {}), (["explain", HOST_PROGRAM, "--to", "PIECES=2"], fake),
                (["report", KERNEL], {}), (["report", EXPLAINED], {}), (["report", foreign], {}),
                (["explain", foreign], {}),  (["export", KERNEL], {}), (["list"], {}),
                (["devices", "--measure-roofs"], fake), (["metrics"], {}), (["strategies"], {}),
                (["replay", EXPLAINED, "--repeats", "2", "--budget", "30"], {}),
                (["replay", EXPLAINED, "--repeats", "2", "--budget", "5s", "--workers", "4"], {}),
                (["survey", SURVEY], {}), (["survey", COUNTED_SURVEY], {}), (["survey", SURVEY, "--compare", SURVEY], {}),
                (["bench", CAPTURE, "--describe"], {}),
                (["space", KERNEL], {}), (["space", KERNEL, "--sample", "3"], {}), (["show"], {}), (["show", "1"], {}),
                (["show", "2", "--top", "3"], {}), (["db", "info"], {}), (["db", "verify"], {}),
                (["db", "backup", pathlib.Path(self.home.name) / "backup.db"], {}),
                (["db", "merge", pathlib.Path(self.home.name) / "backup.db"], {}), (["cache", "info"], {}), (["cache", "clear"], {}),
                (["db", "import", RECORDING], {}), (["db", "import", RECORDING], {}), (["db", "carry", KERNEL], {}),
                (["db", "prune", "--failed"], {}),
                (["db", "prune", "--imported", "--dry-run"], {}), (["db", "compact"], {}),
                (["check", KERNEL, "--arch", "80", "--sample", "1"], {}), (["lab"], {}), (["lab", "stride", "--replay"], {})):
            with self.subTest(arguments=arguments):
                self.output_of(*arguments, **variables)
        self.check_campaigns()
        self.check_sanitizer(fake)
        sampled = self.output_of("space", KERNEL, "--list", "1")["configurations"][0]
        choices = [word for name, value in sampled.items() for word in ("--check", f"{name}={json.dumps(value).strip(chr(34))}")]
        self.output_of("space", KERNEL, *choices)
        self.assertEqual(self.checker.problems_of(json.loads(self.run_program(["doctor", "--format", "json"]).stdout)), [])
        self.check_progress()
        self.check_errors()
        checked = self.run_program(["lab", "stride", "--check", "--format", "json"])
        self.assertEqual(self.checker.problems_of(json.loads(checked.stdout)), [], "an error where NVRTC is missing")
        untested = set(check_json.schema_names()) - self.checker.seen
        if checked.returncode != 0:
            untested.discard("lab-check")
        self.assertEqual(untested, set(), "every schema is of an output that is tested")

    def check_campaigns(self):
        home = pathlib.Path(self.home.name)
        store = {"WARPTUNE_STORE": f"spool:{home}/store"}
        file = home / "campaign.toml"
        file.write_text(f'name = "nightly"\n[[tune]]\nkernel = "{KERNEL}"\nbudget = 10\nstrategy = "random"\n')
        self.output_of("campaign", "init", **store)
        self.output_of("campaign", "add", file, **store)
        self.assertEqual(self.output_of("campaign", "status", "nightly", **store)["tasks"]["open"], 1)
        done = self.run_program(["node", "--name", "anna", "--state", home / "node", "--replay", ROOT / "recordings", "--pace", "0",
                                 "--until-done", "--progress", "json"], **store)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([problem for line in lines for problem in self.checker.problems_of(line)], [])
        self.assertEqual([line["event"] for line in lines if line["event"] != "published"],
                         ["entered", "task_began", "task_ended", "node_ended"])
        for arguments in (["list"], ["status", "nightly"], ["watch", "nightly"], ["accept", "anna"], ["cancel", "nightly"],
                          ["retry", "nightly"]):
            self.output_of("campaign", *arguments, **store)
        results = self.output_of("campaign", "results", "nightly", **store)["results"]
        self.assertIsNotNone(results[0]["winner"])
        self.output_of("campaign", "remove", "nightly", "--force", **store)

    def check_sanitizer(self, fake):
        reports = ROOT / "tests/tuner/data/sanitizer"
        sanitizer = pathlib.Path(self.home.name) / "toolkit/bin/compute-sanitizer"
        sanitizer.parent.mkdir(parents=True)
        shutil.copy(reports / "fake_compute_sanitizer", sanitizer)
        sanitizer.chmod(0o755)
        variables = fake | {"WARPTUNE_CUDA_PATH": str(sanitizer.parents[1]), "FAKE_CLEAN": str(reports / "clean.txt"),
                            "FAKE_SOURCE": str(HOST_PROGRAM)}
        asked = ("profile", HOST_PROGRAM, "--default", "--sanitize", "--compile-cache", "none")
        self.output_of(*asked, **variables)
        self.assertEqual(self.output_of(*asked, code=1, FAKE_REPORTS=str(reports), **variables)["warning_count"], 0)

    def check_progress(self):
        lines = [json.loads(line) for line in self.run_program([*TUNE, "--fresh", "--progress", "json"]).stderr.splitlines()]
        self.assertEqual([problem for line in lines for problem in self.checker.problems_of(line)], [])
        events = [line["event"] for line in lines]
        self.assertEqual(events.count("measurement_stored"), 40)
        self.assertEqual((events[0], events[-1]), ("session_began", "session_ended"))
        self.assertEqual([line["evaluated"] for line in lines if line["event"] == "progress"][-1], 40)

    def check_errors(self):
        wrong = pathlib.Path(self.home.name) / "wrong.cu"
        wrong.write_text("/* warptune\n[kernel]\nnam = 1\n*/\n")
        for arguments, code, kind in ((["tune", KERNEL, "--budgt", "3"], 2, "input"), (["no-such-command"], 2, "input"),
                                      (["space", wrong], 2, "input"), (["devices"], 3, "machine"), (["show", "77"], 2, "input"),
                                      (["query", KERNEL, "--strict", "--size", "N=64"], 1, "work"),
                                      (["export", KERNEL, "--cache", "warm"], 1, "work"), (["report", "nothing.wtrec.zst"], 2, "input"),
                                      (["document", KERNEL], 2, "input"), (["db", "info", "--db", "none.db"], 2, "input")):
            with self.subTest(arguments=arguments):
                error = self.output_of(*arguments, code=code)["error"]
                self.assertEqual((error["kind"], error["exit_code"]), (kind, code))
        place = self.output_of("space", wrong, code=2)["error"]["place"]
        self.assertTrue(place["file"].endswith("wrong.cu"))
        self.assertEqual(place["line"], 3)
        failed = self.output_of(*TUNE[:-1], "2", "--fresh", "--objective", "energy", code=1)  # Nothing has an energy.
        self.assertEqual(failed["error"]["kind"], "work")

    def test_schemas_are_valid_and_their_references_exist(self):
        for name in check_json.schema_names():
            schema = check_json.schema_of(name)
            check_json.jsonschema.Draft202012Validator.check_schema(schema)
            for reference in re.findall(r'"\$ref": "#/([^"]*)"', json.dumps(schema)):
                part = schema
                for step in reference.split("/"):
                    self.assertIn(step, part, f"{name}: {reference}")
                    part = part[step]

    def test_the_manual_names_every_format_and_event(self):
        text = (ROOT / "docs/json.md").read_text()
        self.assertEqual(sorted(set(re.findall(r"`warptune-([a-z-]+)`", text))), check_json.schema_names())
        for title, schema in (("## Progress", "progress"), ("## Events of a node", "node-progress")):
            events = {event["properties"]["event"]["const"] for event in check_json.schema_of(schema)["oneOf"]}
            part = text.split(title)[1].split("\n## ")[0]
            named = {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
            self.assertEqual(named - {"event"}, events)

    def test_the_check_can_fail(self):
        document = self.output_of("cache", "info")
        for wrong, part in (({**document, "bytes": None}, "bytes: None is not of type"), ({**document, "kilobytes": 1}, "'kilobytes'"),
                            ({key: value for key, value in document.items() if key != "path"}, "'path' is a required"),
                            ({**document, "version": 1}, "version: 2 was expected"), ({"format": "warptune-nothing"}, "expected one of"),
                            ([], "expected one of")):
            self.assertIn(part, " ".join(self.checker.problems_of(wrong)))
        session = self.output_of("show", "1")
        session["measurements"][0]["resources"]["registers"] = 1
        self.assertIn("'registers'", " ".join(self.checker.problems_of(session)))


if __name__ == "__main__":
    if check_json.jsonschema is None:
        sys.exit(77)
    JsonOutputs.program, JsonOutputs.worker = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
