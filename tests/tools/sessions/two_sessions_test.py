#!/usr/bin/env python3
"""Two `warptune tune` commands tune the same workload in one database at the same time, by replays at the pace of a recording.

At most 5 % of the evaluations are made twice, both commands end, and both give the same answer. No test depends on how long something
takes: two commands that did not overlap are started again, each time with twice the time of the recording.

    two_sessions_test.py WARPTUNE
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import synthetic_recording

ROWS = 240
ATTEMPTS = 6
MAX_SHARE_TWICE = 0.05


class Pair:
    """What two commands have printed, and what the database has afterwards."""

    def __init__(self, outputs, database):
        self.sessions = [json.loads(output)["sessions"][0] for output in outputs]
        self.bests = [session["best"]["configuration"] for session in self.sessions]
        connection = sqlite3.connect(database)
        self.rows, self.evaluated = connection.execute("SELECT count(*), count(DISTINCT configuration_id) FROM measurement").fetchone()
        winners = connection.execute("SELECT body, winner.median_ns FROM winner JOIN measurement ON measurement.id = measurement_id"
                                     " JOIN configuration ON configuration.id = configuration_id").fetchall()
        self.claims = connection.execute("SELECT (SELECT count(*) FROM claim) + (SELECT count(*) FROM claimant)").fetchone()[0]
        connection.close()
        assert len(winners) == 1, winners
        self.winner, self.winner_ns = json.loads(winners[0][0]), winners[0][1]

    def have_overlapped(self):
        return all(session["known_meanwhile"] > 0 for session in self.sessions)


class TwoSessionsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.recording = pathlib.Path(self.folder.name) / "synthetic.wtrec"
        synthetic_recording.write(self.recording, ROWS, counters=2)

    def start(self, database, pace, options):
        command = [WARPTUNE, "tune", "synthetic", "--replay", str(self.recording), "--pace", str(pace), "--db", str(database),
                   "--compile-cache", "none", "--format", "json", *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run_pair(self, options, seeds):
        """Two commands that overlapped."""
        for attempt in range(ATTEMPTS):
            database = pathlib.Path(self.folder.name) / f"{attempt}.db"
            database.unlink(missing_ok=True)
            processes = [self.start(database, 0.5 * 2**attempt, [*options, "--seed", str(seed)]) for seed in seeds]
            outputs = [process.communicate()[0] for process in processes]
            self.assertEqual([process.returncode for process in processes], [0, 0])
            pair = Pair(outputs, database)
            if pair.have_overlapped():
                print(f"seeds {seeds} {' '.join(options)}: {pair.rows} evaluations, {pair.rows - pair.evaluated} made twice", flush=True)
                return pair
        self.fail(f"two sessions never overlapped in {ATTEMPTS} attempts")

    def assert_shared(self, pair):
        self.assertLessEqual(pair.rows - pair.evaluated, MAX_SHARE_TWICE * pair.rows)
        self.assertEqual(pair.claims, 0, "claims end with their sessions")

    def test_the_whole_space_is_evaluated_once_and_both_give_the_same_answer(self):
        for seeds in ((1, 1), (1, 2)):
            with self.subTest(seeds=seeds):
                pair = self.run_pair(["--budget", "all"], seeds)
                self.assert_shared(pair)
                self.assertEqual(pair.evaluated, ROWS)
                self.assertEqual([session["exhausted"] for session in pair.sessions], [True, True])
                self.assertEqual(pair.bests, [pair.winner, pair.winner])

    def test_each_budget_counts_its_own_evaluations(self):
        for seeds in ((1, 1), (1, 2)):
            with self.subTest(seeds=seeds):
                pair = self.run_pair(["--budget", "100"], seeds)
                self.assert_shared(pair)
                self.assertEqual([session["evaluated"] for session in pair.sessions], [100, 100])
                self.assertIn(pair.winner, pair.bests)

    def test_a_goal_that_one_reaches_ends_both(self):
        for seeds in ((1, 1), (1, 2)):
            with self.subTest(seeds=seeds):
                pair = self.run_pair(["--budget", "all", "--until", "0.5roof"], seeds)
                self.assert_shared(pair)
                self.assertLess(pair.rows, ROWS)
                for session in pair.sessions:
                    self.assertGreaterEqual(session["best"]["roof_share"], 0.5)


if __name__ == "__main__":
    WARPTUNE = sys.argv.pop(1)
    unittest.main()
