"""What each conformance case is as a pandas frame: its dtypes and its cells. Standard input names the databases."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any, cast

import bowshot
import pandas as pd
from frames.every_case import CASES, source_of
from tests.conformance_cases import Case
from tests.conformance_display import display


def values(column: pd.Series[Any]) -> list[Any]:
    """Every value as text: None is unlike NaN, and 1 unlike 1.0."""
    if isinstance(column.dtype, pd.ArrowDtype):
        return [display(cell) for cell in column.array.__arrow_array__()]
    if column.dtype.kind == "M":
        # Beyond what Python's times reach.
        return [str(count) for count in column.astype("int64").tolist()]
    return [repr(value) for value in column.tolist()]


def frames(databases: dict[str, Any]) -> dict[str, Any]:
    """Each case in each backend, as what JSON can hold."""
    found: dict[str, Any] = {}
    for given in CASES:
        database, suite, case = cast("tuple[str, str, Case]", given.values)
        sql, options = source_of(case)
        for backend in ("numpy", "numpy_nullable", "pyarrow"):
            try:
                frame = bowshot.read_sql(sql, databases[database]["suites"][suite], dtype_backend=backend, **options)
            except bowshot.Error as error:
                what: Any = str(error)
            else:
                columns = [frame.iloc[:, position] for position in range(frame.shape[1])]
                what = [[str(column.dtype), *values(column)] for column in columns]
            found[f"{given.id}-{backend}"] = what
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump({"pandas": pd.__version__, "frames": frames(json.load(sys.stdin))}, sys.stdout)
