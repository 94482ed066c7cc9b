"""Rows as Arrow. nanoarrow reads them, which shares no code with warptune."""

import pickle
import sys
from pathlib import Path

import nanoarrow
import pytest

import warptune

SHARE = Path(warptune.__file__).parent / "share" / "warptune"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> warptune.Rows:
    db = tmp_path_factory.mktemp("arrow") / "a.db"
    kernel = warptune.Kernel("transpose")
    kernel.tune(budget=30, strategy="random", replay=SHARE / "recordings" / "transpose-h200.wtrec.zst", db=db)
    return kernel.results(db=db, gpu="H200")


def transposed(rows: warptune.Rows) -> dict[str, list[object]]:
    records = nanoarrow.ArrayStream(rows).read_all().to_pylist()
    return {name: [record[name] for record in records] for name in rows.columns}


def test_a_column_is_a_list_without_another_library(rows: warptune.Rows) -> None:
    table = transposed(rows)
    assert {name: rows.values(name) for name in rows.columns} == table
    kinds = {type(value) for values in table.values() for value in values}
    assert kinds == {bool, int, float, str, type(None)}
    with pytest.raises(warptune.InputError, match="there is no column nope"):
        rows.values("nope")


def test_a_pickle_has_all_rows(rows: warptune.Rows) -> None:
    copy = pickle.loads(pickle.dumps(rows))
    assert transposed(copy) == transposed(rows)
    assert copy.samples_ns() == rows.samples_ns()
    assert any(rows.samples_ns())
    assert len(copy) == len(rows) == 30


def test_a_pickle_whose_columns_do_not_fit_is_refused(rows: warptune.Rows) -> None:
    count, columns, samples = rows._native.__getstate__()
    assert {column[1] for column in columns} == {"b", "l", "g", "u"}
    for at, (name, kind, valid, nulls, offsets, values) in enumerate(columns):
        wrong = [(count + 8, columns, samples), (-1, columns, samples), (count, columns, samples[1:])]
        for column in ((name, kind, valid[:-1], nulls, offsets, values), (name, kind, valid, nulls, offsets, values[:-1]),
                       (name, "z", valid, nulls, offsets, values), (name, kind, valid, nulls, offsets[4:], values),
                       (name, kind, valid, nulls + 1, offsets, values), (name, kind, valid, -1, offsets, values),
                       (name, kind, valid, nulls, b"\1\0\0\0" + offsets[4:], values),
                       (name, kind, valid, nulls, offsets, b"\xff" * len(values) if kind == "u" else values)):
            if column != columns[at]:
                wrong.append((count, [*columns[:at], column, *columns[at + 1:]], samples))
        for state in wrong:
            with pytest.raises(warptune.InputError, match="has another layout"):
                type(rows._native).__new__(type(rows._native)).__setstate__(state)


def test_every_column_arrives_with_its_type(rows: warptune.Rows) -> None:
    table = nanoarrow.ArrayStream(rows).read_all()
    assert [field.name for field in table.schema.fields] == rows.columns
    assert len(table) == len(rows) == 30
    types = {field.name: field.type.name for field in table.schema.fields}
    assert (types["TILE_X"], types["LOAD"], types["median_ns"]) == ("INT64", "STRING", "DOUBLE")
    assert (types["replayed"], types["blocks_per_sm"], types["theoretical_occupancy"]) == ("BOOL", "INT64", "DOUBLE")


def test_the_values_are_those_of_the_recording(rows: warptune.Rows) -> None:
    columns = transposed(rows)
    assert set(columns["status"]) == {"measured"}
    assert set(columns["replayed"]) == {True} and set(columns["imported"]) == {False}
    assert all(reason is None for reason in columns["reason"])
    best = min(columns["median_ns"])
    row = columns["median_ns"].index(best)
    space = warptune.Kernel("transpose").space
    assert {name: columns[name][row] for name in space.parameters} in space
    assert columns["registers_per_thread"][row] > 0


def test_a_table_can_be_taken_more_than_once_and_dropped_unread(rows: warptune.Rows) -> None:
    first = nanoarrow.ArrayStream(rows).read_all().to_pylist()
    rows.__arrow_c_stream__()
    assert nanoarrow.ArrayStream(rows).read_all().to_pylist() == first


def test_a_column_outlives_the_table() -> None:
    kernel = warptune.Kernel(SHARE / "recordings" / "vector_add-h200.wtrec.zst")
    rows = kernel.results()
    count = len(rows)
    column = nanoarrow.ArrayStream(rows).read_all().child(rows.columns.index("median_ns"))
    del rows, kernel
    assert len([value for value in column.to_pylist() if value > 0]) == count


def test_a_missing_library_is_named(rows: warptune.Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pyarrow is not installed.*pip install pyarrow"):
        rows.to_arrow()
