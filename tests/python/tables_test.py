"""Rows in the libraries that people read tables with: pandas, polars and pyarrow. arrow_test.py has every type, without them."""

from pathlib import Path
from typing import Any

import pytest

import warptune

pandas: Any = pytest.importorskip("pandas")
polars: Any = pytest.importorskip("polars")
pyarrow: Any = pytest.importorskip("pyarrow")
RECORDING = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "transpose-h200.wtrec.zst"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> warptune.Rows:
    db = tmp_path_factory.mktemp("tables") / "a.db"
    return warptune.Kernel("transpose").tune(budget=40, strategy="random", replay=RECORDING, db=db).results()


def test_pyarrow_takes_rows_as_they_are(rows: warptune.Rows) -> None:
    table = pyarrow.table(rows)
    assert table.to_pydict() == {name: rows.values(name) for name in rows.columns}
    table.validate(full=True)
    assert rows.to_arrow() == table
    assert pyarrow.RecordBatchReader.from_stream(rows).read_all() == table


def test_polars_takes_rows_as_they_are(rows: warptune.Rows) -> None:
    frame = polars.DataFrame(rows)
    assert frame.to_dict(as_series=False) == {name: rows.values(name) for name in rows.columns}
    assert rows.to_polars().equals(frame)
    best = frame.sort("median_ns").row(0, named=True)
    assert best["median_ns"] == min(rows.values("median_ns"))
    assert frame.schema["TILE_X"] == polars.Int64 and frame.schema["replayed"] == polars.Boolean


def test_pandas_gets_a_frame_with_a_column_of_the_right_kind_for_each(rows: warptune.Rows) -> None:
    frame = rows.to_pandas()
    assert list(frame.columns) == rows.columns and len(frame) == len(rows)
    assert frame["median_ns"].tolist() == rows.values("median_ns")
    assert frame["LOAD"].tolist() == rows.values("LOAD")
    assert [frame[name].dtype.kind for name in ("TILE_X", "median_ns", "replayed")] == ["i", "f", "b"]
    assert frame["reason"].isna().all()  # Nothing failed.
    assert frame.groupby("TILE_X")["median_ns"].min().min() == min(rows.values("median_ns"))
