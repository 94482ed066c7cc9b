"""Stored measurements as a table."""

import importlib
from typing import Any

from . import _native
from ._values import Value


def _library(name: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed, and {purpose} needs it: pip install {name}") from error


class Rows:
    """The measurements of one workload: a row for each configuration, failed ones included.

    There is a column for each parameter. Then follow `status`, `reason`, the time (`median_ns`, and `low_ns` to `high_ns` as the 95 %
    interval of the median), resources, and the counters by their names. A value that a row lacks is null. Libraries that read Arrow
    accept the object directly: `polars.DataFrame(rows)`, `pyarrow.table(rows)`. A pickle contains all rows.
    """

    def __init__(self, native: _native.RowTable) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._native.columns

    def values(self, column: str) -> list[Value | None]:
        """The values of a column in the order of the rows, without another library. Raises `InputError` for an unknown column."""
        return self._native.values(column)

    def samples_ns(self) -> list[list[float]]:
        """The time samples of each row in nanoseconds, in the order of measurement. A failed configuration has none."""
        return self._native.samples_ns

    def __len__(self) -> int:
        return self._native.rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for Arrow's PyCapsule interface. `requested_schema` is ignored."""
        return self._native.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`. Raises `ImportError` where pyarrow is not installed."""
        return _library("pyarrow", "to_arrow()").table(self)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`. Raises `ImportError` where pandas or pyarrow is not installed."""
        _library("pandas", "to_pandas()")
        return _library("pyarrow", "to_pandas()").table(self).to_pandas()

    def to_polars(self) -> Any:
        """A `polars.DataFrame`. Raises `ImportError` where polars is not installed."""
        return _library("polars", "to_polars()").DataFrame(self)

    def __repr__(self) -> str:
        return f"<warptune.Rows: {len(self)} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.rows(self)
