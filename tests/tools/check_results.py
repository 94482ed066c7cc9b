#!/usr/bin/env python3
"""Fails where docs/results.md is not what the data of bench/results gives or is too long, and where a figure lacks its command, commit,
date or machine. bench/results/render.py writes the page."""

import sys

from repository import ROOT, run_check

sys.path.insert(0, str(ROOT / "bench" / "results"))
import render  # noqa: E402

if __name__ == "__main__":
    run_check(render.find_problems)
