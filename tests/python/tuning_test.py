"""Sessions that a recording answers: results, errors, and what the database knows afterwards."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import warptune
from warptune.results import Problem
from warptune.session_events import EventHandler

RECORDING = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "vector_add-h200.wtrec.zst"


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def tuned(db: Path, **options: object) -> warptune.TuningResult:
    return warptune.Kernel("vector_add").tune(budget=40, replay=RECORDING, db=db, **options)  # type: ignore[arg-type]


def test_a_result_has_the_best_the_default_and_what_was_evaluated(tmp_path: Path) -> None:
    result = tuned(tmp_path / "a.db")
    assert result.problem.kernel == "vector_add"
    assert result.problem.gpu_name == "NVIDIA H200"
    assert result.replayed and result.best.replayed
    assert result.evaluated == sum(result.by_status.values()) == 40
    assert result.best.status == "measured"
    assert result.best.low_ns is not None and result.best.median_ns is not None and result.best.high_ns is not None
    assert result.best.low_ns <= result.best.median_ns <= result.best.high_ns
    assert result.default is not None and result.default.median_ns is not None
    assert result.speed_up == pytest.approx(result.default.median_ns / result.best.median_ns)
    assert result.objective_value == result.best.median_ns
    assert result.best.configuration in warptune.Kernel("vector_add").space
    assert "stored as session 1" in str(result)


def test_a_session_is_shown_in_notebooks_without_its_text_as_markup(tmp_path: Path) -> None:
    result = tuned(tmp_path / "a.db")
    page = result._repr_html_()
    assert page.count("<tr>") == 3  # The heads, the default and the best.
    assert "nothing was measured on this machine" in page
    assert page.count("data:image/svg+xml;base64,") == 2
    assert pickle.loads(pickle.dumps(result)) == result


def test_a_result_leads_to_its_rows_and_charts(tmp_path: Path) -> None:
    result = tuned(tmp_path / "a.db")
    assert len(result.results()) == 40
    assert result.plot("effects").svg.startswith("<svg")
    with pytest.raises(warptune.InputError, match="distribution"):
        result.plot("nope")


def test_a_store_of_campaigns_is_read_and_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = f"spool:{tmp_path}/store"
    (tmp_path / "own.toml").write_text('name = "own"\n[[tune]]\nkernel = "vector_add"\nbudget = 20\n')
    (tmp_path / "recordings").mkdir()
    shutil.copy(RECORDING, tmp_path / "recordings")
    for arguments in (["campaign", "init"], ["campaign", "add", f"{tmp_path}/own.toml"],
                      ["node", "--state", f"{tmp_path}/node", "--replay", f"{tmp_path}/recordings", "--pace", "0", "--until-done"]):
        subprocess.run([Path(sys.executable).with_name("warptune"), *arguments, "--store", store], check=True)
    match = warptune.Kernel("vector_add").best(db=store, gpu="H200")
    assert match.configuration in warptune.Kernel("vector_add").space
    assert len(warptune.Kernel("vector_add").results(db=store, gpu="H200")) == 20
    with pytest.raises(warptune.InputError, match="only nodes"):
        warptune.Kernel("vector_add").tune(budget=2, replay=RECORDING, db=store)


def test_the_database_answers_after_a_session(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    result = tuned(db)
    kernel = warptune.Kernel("vector_add")
    match = kernel.best(db=db, gpu="H200")
    assert match.match == "exact"
    assert match.configuration == result.best.configuration
    assert match.best == result.best
    near = kernel.best(db=db, gpu="H200", N=1 << 25)
    assert near.match == "near_problem"
    assert near.measured_for == result.problem
    assert "exact" in match._repr_html_()
    with pytest.raises(warptune.WorkError):
        kernel.best(db=db, gpu="H200", strict=True, N=1 << 20)
    # A recording proves nothing about outputs.
    with pytest.raises(warptune.WorkError, match=r"gives the bits of the default in each launch: of .* it is not known"):
        kernel.best(db=db, gpu="H200", reproducible=True)
    with pytest.raises(warptune.InputError, match=r"expected runs\|bits"):
        kernel.best(db=db, gpu="H200", reproducible="often")
    assert kernel.best(db=db, gpu="H200", reproducible=False).match == "exact"
    with pytest.raises(warptune.InputError, match="a recording has no outputs"):
        kernel.tune(budget=2, replay=RECORDING, reproducible="runs", db=db)
    explanation = kernel.explain(db=db, gpu="H200", measure=False)
    assert explanation.end is not None and explanation.end.configuration == result.best.configuration
    assert kernel.report(tmp_path / "page.html", db=db).read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_progress_is_told_on_the_calling_thread(tmp_path: Path) -> None:
    told: list[tuple[warptune.Progress, int]] = []
    tuned(tmp_path / "a.db", progress=lambda progress: told.append((progress, threading.get_ident())))
    last, _ = told[-1]
    assert last.evaluated == 40
    assert last.best is not None and last.best_median_ns is not None
    assert {thread for _, thread in told} == {threading.get_ident()}


def test_progress_as_a_line_ends_with_a_new_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tuned(tmp_path / "a.db", progress=True)
    text = capsys.readouterr().err
    assert text.startswith("\r") and text.endswith("\n")
    assert "40 evaluated" in text


def test_an_exception_of_the_listener_ends_the_session_and_keeps_the_rows(tmp_path: Path) -> None:
    def stop(progress: warptune.Progress) -> None:
        raise LookupError("enough")

    db = tmp_path / "a.db"
    with pytest.raises(LookupError, match="enough"):
        warptune.Kernel("vector_add").tune(budget="all", replay=RECORDING, db=db, progress=stop)
    assert len(warptune.Kernel("vector_add").results(db=db, gpu="H200")) > 0


def test_threads_tune_at_the_same_time(tmp_path: Path) -> None:
    results: list[warptune.TuningResult] = []
    threads = [threading.Thread(target=lambda n=n: results.append(tuned(tmp_path / f"{n}.db"))) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.best.configuration for result in results] == [results[0].best.configuration] * 3


def test_a_forked_process_can_tune(tmp_path: Path) -> None:
    tuned(tmp_path / "parent.db")
    child = os.fork()
    if child == 0:
        os._exit(0 if tuned(tmp_path / "child.db").evaluated == 40 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_shipped_recording_answers_without_a_gpu_and_says_so(tmp_path: Path, no_gpu: None) -> None:
    kernel = warptune.Kernel("vector_add")
    with pytest.warns(warptune.TuningWarning, match="nothing is measured") as caught:
        result = kernel.tune(budget=5, db=tmp_path / "a.db")
    assert result.replayed
    assert caught[0].filename == __file__


def test_names_of_others_are_shown_without_control_characters() -> None:
    event = {"event": "stored_shown_instead", "gpu_name": "\x1b[31mred"}
    with pytest.warns(warptune.TuningWarning, match=r"no \\u001b\[31mred") as caught:
        EventHandler()(json.dumps(event))
    assert "\x1b" not in str(caught[0].message)
    assert str(Problem("k", {"N": 1}, "\x1b[31mred", "", "cold")) == "k N=1 on \\u001b[31mred"


def test_without_a_gpu_a_measurement_is_an_error_of_the_machine(tmp_path: Path, no_gpu: None) -> None:
    with pytest.raises(warptune.MachineError):
        warptune.Kernel("vector_add").tune(budget=5, replay=False, db=tmp_path / "a.db")
    with pytest.raises(warptune.MachineError):
        warptune.Kernel("vector_add").tune(budget=5, N=12345, db=tmp_path / "a.db")


@pytest.mark.parametrize(("options", "message"), [
    ({"budget": "soon"}, "soon"),
    ({"objective": "tiem"}, "tiem"),
    ({"strategy": "nope"}, "nope"),
    ({"until": "0.9roof", "objective": "registers"}, "a share of the time"),
    ({"cache": "lukewarm"}, 'cache="lukewarm": expected cold, warm'),
    ({"cache": "warm"}, "cold"),
    ({"N": 5}, "a replay cannot change sizes"),
    ({"replay": True}, "which recording"),
    ({"device": "first"}, "first"),
    ({"timeout_s": 0}, r"timeout_s=0: expected seconds, 0\.1 to 86400"),
    ({"timeout_s": float("nan")}, "timeout_s=nan: expected seconds"),
    ({"timeout_s": float("inf")}, "timeout_s=inf: expected seconds"),
])
def test_a_wrong_argument_is_an_input_error(tmp_path: Path, options: dict[str, object], message: str) -> None:
    arguments = {"budget": 5, "replay": RECORDING, "db": tmp_path / "a.db", **options}
    with pytest.raises(warptune.InputError, match=message):
        warptune.Kernel("vector_add").tune(**arguments)  # type: ignore[arg-type]
