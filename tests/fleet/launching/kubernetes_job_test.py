#!/usr/bin/env python3
"""kubernetes_job_test.py: compares the Job of examples/fleet with the schema of Kubernetes. Nothing runs it.

The exit code is 77, which means skipped, where kubernetes-validate is not installed: scripts/setup python installs it."""

import copy
import pathlib
import sys
import unittest

try:
    import kubernetes_validate
    import yaml
except ImportError:
    kubernetes_validate = None

JOB = pathlib.Path(__file__).resolve().parents[3] / "examples/fleet/nodes.yaml"


class KubernetesJob(unittest.TestCase):
    def setUp(self):
        self.job = yaml.safe_load(JOB.read_text())
        self.version = kubernetes_validate.latest_version()

    def test_the_job_is_valid(self):
        kubernetes_validate.validate(self.job, self.version, strict=True)

    def test_the_check_can_fail(self):
        wrong = copy.deepcopy(self.job)
        wrong["spec"]["paralelism"] = wrong["spec"].pop("parallelism")
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, self.version, strict=True)


if __name__ == "__main__":
    if kubernetes_validate is None:
        print("skipped: kubernetes-validate is not installed; scripts/setup python installs it")
        sys.exit(77)
    unittest.main()
