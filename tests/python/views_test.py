"""How objects show themselves in notebooks. Here without a notebook, and without any library: notebook_test.py has a kernel."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import warptune

RECORDING = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"
VOID = {"img", "br"}


class Page(HTMLParser):
    """The heads and cells of the tables, the pictures, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.pictures: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.pictures.append(dict(attrs)["alt"] or "")
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def page(shown: object) -> Page:
    return Page(shown._repr_html_())  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("views") / "a.db"


@pytest.fixture(scope="module")
def result(db: Path) -> warptune.TuningResult:
    return warptune.Kernel("transpose").tune(budget=120, replay=RECORDING, db=db)


def test_a_result_shows_the_default_the_best_and_two_charts(result: warptune.TuningResult) -> None:
    shown = page(result)
    assert shown.pictures == ["convergence", "distribution"]
    assert {"default", "best", "TILE_X"} <= set(shown.cells)
    assert "times as fast as the default" in shown.text


def test_an_explanation_shows_its_steps_the_findings_and_a_chart(result: warptune.TuningResult, db: Path) -> None:
    explained = result.kernel.explain(gpu="H200", measure=False, db=db)
    shown = page(explained)
    assert shown.pictures == ["effects"]
    assert any(re.match(r"\w+ \S+ → \S+", cell) for cell in shown.cells)
    assert any(re.fullmatch(r"\d\.\d\dx", cell) for cell in shown.cells)
    assert {finding.title for finding in explained.findings} <= set(shown.cells)
    assert str(explained) in shown.text


def test_a_step_without_a_ratio_shows_none(result: warptune.TuningResult, db: Path) -> None:
    explained = result.kernel.explain(gpu="H200", measure=False, db=db)
    for ratio in (None, 0.0):
        for step in explained.steps:
            step["time_ratio"] = ratio
        assert not any(re.fullmatch(r"\d\.\d\dx", cell) for cell in page(explained).cells)


def test_the_shares_of_parameters_are_those_of_models_that_explain_enough(result: warptune.TuningResult, db: Path) -> None:
    explained = result.kernel.explain(gpu="H200", measure=False, db=db)
    for key in ("over_space", "near_best"):
        explained.document["importance"][key]["r_squared"] = 0.4
    assert "share of the variance" not in page(explained).cells
    explained.document["importance"]["near_best"]["r_squared"] = 0.6
    cells = page(explained).cells
    assert cells[cells.index("share of the variance") + 1] == "near the best"


def test_a_profile_shows_its_findings_and_the_roofline(result: warptune.TuningResult, db: Path) -> None:
    profiled = result.kernel.profile(gpu="H200", stored=True, db=db)
    shown = page(profiled)
    assert shown.pictures == ["roofline"]
    assert profiled.findings and profiled.findings[0].title in shown.cells
    assert profiled.plot("roofline").svg.startswith("<svg")
    assert "Speed of light" in shown.text


def test_what_a_recording_says_has_its_charts() -> None:
    recording = warptune.Kernel(RECORDING)
    assert page(recording.explain()).pictures == ["effects"]
    assert page(recording.profile()).pictures == ["roofline"]
    assert page(recording.results()).cells


def test_rows_show_the_fastest_of_them(result: warptune.TuningResult) -> None:
    rows = result.results()
    shown = page(rows)
    heads = shown.cells[:shown.cells.index("median_ns") + 1]
    assert heads == [*result.kernel.space.parameters, "status", "median_ns"]
    times = [float(cell) for cell in shown.cells[2 * len(heads) - 1::len(heads)]]
    assert times == sorted(time for time in rows.values("median_ns") if isinstance(time, float))[:10]
    assert times[0] == result.best.median_ns
    assert "the fastest 10 of 120 rows" in shown.text


def test_a_space_shows_its_parameters_and_constraints() -> None:
    space = warptune.Kernel("transpose").space
    shown = page(space)
    assert f"{len(space)} configurations" in shown.text
    assert {"TILE_X", "SHARED_LAYOUT"} <= set(shown.cells)
    assert all(constraint in shown.text for constraint in space.constraints)


def test_a_match_and_a_check_show_what_they_found(result: warptune.TuningResult, db: Path) -> None:
    assert "exact" in page(result.kernel.best(gpu="H200", db=db)).text
    passed = {"kernel": "transpose", "findings": [], "error_count": 0, "warning_count": 0}
    assert "transpose: passed, 0 warnings" in page(warptune.CheckReport.of(passed, "")).text


def test_a_loaded_kernel_shows_its_configuration(result: warptune.TuningResult, db: Path) -> None:
    fill = warptune.Kernel(
        name="fill", entry="fill", problem={"N": 64}, parameters={"BLOCK": [32, 64]}, default={"BLOCK": 64},
        source="""
extern "C" __global__ void fill(float* out, int n, float value) { out[blockIdx.x * BLOCK + threadIdx.x] = value; }
""",
        launch={"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]},
        arguments=[{"name": "out", "kind": "out", "type": "f32", "count": "N"},
                   {"name": "n", "kind": "scalar", "type": "i32", "value": "N"},
                   {"name": "value", "kind": "scalar", "type": "f32", "value": "1.0"}])
    shown = page(fill.load(db=db))  # The libcuda of this test launches nothing.
    assert shown.cells == ["BLOCK", "64"]
    assert "fill N=64 on device 0, match: default" in shown.text and "call it with (out, n, value)" in shown.text


def test_names_from_others_are_text() -> None:
    document = {"kernel": "<script>", "findings": [{"severity": "error", "message": "<b>", "place": None}], "error_count": 1,
                "warning_count": 0}
    shown = page(warptune.CheckReport.of(document, "<i>"))
    assert "<script>" in shown.text and "<b>" in shown.cells and "<i>" in shown.text


def test_a_chart_for_which_too_little_is_known_is_left_out(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    one = warptune.Kernel("transpose").tune(budget=1, replay=RECORDING, db=db)
    with pytest.raises(warptune.WorkError):
        one.plot("effects")
    assert page(one.kernel.explain(gpu="H200", measure=False, db=db)).pictures == []


def test_progress_is_a_sentence_and_a_bar() -> None:
    told: list[warptune.Progress] = []
    warptune.Kernel("transpose").tune(budget=20, replay=RECORDING, progress=told.append, fresh=True)
    assert re.fullmatch(r"20 evaluated in \d+\.\d s, best \d+\.\d\d us", str(told[-1]))
    assert str(told[-1]) in page(told[-1]).text
    assert '<progress value="1.0000" max="1">' in told[-1]._repr_html_()
