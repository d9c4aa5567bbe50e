"""Reads every case of arrow_cases.py, in every nesting, as every return type, and prints what came of each.

test_destinations.py runs this in a process of its own: what would end the process ends this one, and the case that it
was at is the last line of its output.
"""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bowshot
import pyarrow as pa
from tests import arrow_cases, arrow_forms

# What Arrow files have of intervals beside those that pyarrow can make: their unit, and the one value of theirs.
INTERVALS = {"months": (0, ("interval", 14, 0, 0)), "days": (1, ("interval", 0, 3, 4_000_000))}
_BYTES = [struct.pack("<i", 14) * 12, struct.pack("<2i", 3, 4) * 6]


def main(folder: Path, first: int, chosen: str) -> None:
    """From the `first` read on, those of cases whose name has `chosen` in it."""
    number = 0
    for nesting, case, path, want in files(folder, chosen):
        for destination, read in DESTINATIONS.items():
            number += 1
            if number > first:
                # A dictionary has no place for an extension type: a file that says so says it in vain.
                lost = case.startswith("arrow.") and nesting == "dictionary" and destination in MACHINES
                print(json.dumps([case, nesting, destination]), flush=True)
                print(json.dumps(outcome(path, [stored(form) for form in want] if lost else want, read)), flush=True)


def files(folder: Path, chosen: str) -> Iterator[tuple[str, str, Path, list[Any]]]:
    """A file of each, of three batches: all rows, without the first one, and none."""
    path = folder / "case.arrow"
    for case, made in (arrow_cases.ordinary() | arrow_cases.extreme()).items():
        interval = INTERVALS.get(made) if isinstance(made, str) else None
        values = _intervals(interval[0]) if interval else made
        for nesting, nest in arrow_cases.NESTINGS.items():
            # A field of an Arrow file has one dictionary at most.
            twice = nesting == "dictionary" and pa.types.is_dictionary(values.type)
            if twice or chosen not in f"{case}, {nesting}":
                continue
            batch = pa.record_batch([nest(values)], ["c"])
            table = pa.Table.from_batches([batch, batch.slice(min(1, len(batch))), batch.slice(0, 0)])
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            want = arrow_forms.of_arrow(table.column(0))
            if interval:
                path.write_bytes(patched(path.read_bytes(), interval[0]))
                want = replaced(want, interval[1])
            yield nesting, case, path, want


def outcome(path: Path, want: list[Any], read: Callable[..., tuple[str, list[Any] | None]]) -> dict[str, str]:
    try:
        shown, got = read(str(path))
    except bowshot.Error as error:
        named = error.column == "c" and 'column "c" (' in str(error)
        return {"error" if named else "unnamed": str(error)} | way_out(str(path), str(error))
    except BaseException as error:
        return {"foreign": f"{type(error).__module__}.{type(error).__name__}: {error}"[:300]}
    floats = shown in ("float64", "Float64")
    if got is not None and not (
        len(want) == len(got) and all(arrow_forms.same(w, g, floats=floats) for w, g in zip(want, got, strict=False))
    ):
        return {"changed": f"{got!r}, not {want!r}"[:600], "type": shown}
    return {"right": shown}


def way_out(path: str, error: str) -> dict[str, str]:
    """What is wrong with what the error advises."""
    ways: dict[str, Any] = {
        'return_type="arrow"': {"return_type": "arrow"},
        'dtype_backend="pyarrow"': {"dtype_backend": "pyarrow"},
        'types={"c": "utf8"}': {"return_type": "arrow", "types": {"c": "utf8"}},
        'types={"c": "int32"}': {"return_type": "polars", "types": {"c": "int32"}},
        'types={"c": "int64"}': {"return_type": "polars", "types": {"c": "int64"}},
    }
    chosen = [way for text, way in ways.items() if text in error]
    if not chosen:
        return {"bad": f"no way out: {error}"}
    try:
        bowshot.read_sql("", path, **chosen[0])
    except BaseException as again:
        return {"bad": f"{chosen[0]}: {again!r}"[:300]}
    return {}


def _arrow(column: Any) -> tuple[str, list[Any] | None]:
    column.validate()
    # pyarrow has no Python values for these two kinds of intervals.
    mute = any(f"{unit}_interval" in str(column.type) for unit in ("month", "day_time"))
    return str(column.type), None if mute and "month_day_nano" not in str(column.type) else arrow_forms.of_arrow(column)


def _table(path: str) -> tuple[str, list[Any] | None]:
    return _arrow(bowshot.read_sql("", path, return_type="arrow").column(0))


def _stream(path: str) -> tuple[str, list[Any] | None]:
    return _arrow(bowshot.read_sql("", path, return_type="arrow_stream", batch_size=2).read_all().column(0))


def _batches(path: str) -> tuple[str, list[Any] | None]:
    query = bowshot.query("", path)
    batches = list(query.batches())
    return _arrow(pa.Table.from_batches(batches, pa.schema(query.schema)).column(0))


def _polars(path: str) -> tuple[str, list[Any] | None]:
    frame = bowshot.read_sql("", path, return_type="polars")
    str(frame)
    column = frame["c"]
    # Python's datetime ends before Polars' does.
    with contextlib.suppress(OverflowError, ValueError):
        column.to_list()
    return str(column.dtype), arrow_forms.of_arrow(column.to_arrow())


def _pandas(**options: Any) -> Callable[[str], tuple[str, list[Any] | None]]:
    def read(path: str) -> tuple[str, list[Any] | None]:
        frame = bowshot.read_sql("", path, **options)
        shown = str(frame["c"].dtype)
        try:
            str(frame)
        except NotImplementedError:
            # pandas can hold these two, and not show them.
            if "interval" not in shown and "union" not in shown:
                raise
        except (OverflowError, ValueError):
            # What pandas shows of Arrow's memory are Python's objects.
            if "pyarrow" not in shown:
                raise
        return shown, arrow_forms.of_series(frame["c"])

    return read


def _chunks(path: str) -> tuple[str, list[Any] | None]:
    frames = list(bowshot.read_sql("", path, chunksize=2, coerce_float=False))
    assert all(len(frame) == 2 for frame in frames[:-1]), [len(frame) for frame in frames]
    return "object", [form for frame in frames for form in arrow_forms.of_series(frame["c"])]


MACHINES = ("Arrow", "stream", "batches()")
DESTINATIONS: dict[str, Callable[[str], tuple[str, list[Any] | None]]] = {
    "Arrow": _table,
    "stream": _stream,
    "batches()": _batches,
    "Polars": _polars,
    "pandas": _pandas(),
    "pandas, chunks of exact decimals": _chunks,
    "pandas, numpy_nullable": _pandas(dtype_backend="numpy_nullable"),
    "pandas, pyarrow": _pandas(dtype_backend="pyarrow"),
}


def _intervals(unit: int) -> Any:
    """Of bytes that mean the same wherever a shorter value begins."""
    valid = pa.array([True, None, True]).buffers()[0]
    return pa.Array.from_buffers(pa.month_day_nano_interval(), 3, [valid, pa.py_buffer(_BYTES[unit])])


def stored(form: Any) -> Any:
    """The form of what is beneath a value of an extension type."""
    if isinstance(form, uuid.UUID):
        return form.bytes
    return form[1] if isinstance(form, tuple) else form if form is None else int(form)


def replaced(want: Any, interval: Any) -> Any:
    """The forms, with another interval in the place of each."""
    if isinstance(want, tuple) and want and want[0] == "interval":
        return interval
    if isinstance(want, list | tuple):
        return type(want)(replaced(item, interval) for item in want)
    return want


def patched(file: bytes, unit: int) -> bytes:
    """An Arrow file whose intervals are of another unit. Their values are shorter: the rest of a buffer is not read."""
    data = bytearray(file)

    def number(form: str, place: int) -> int:
        return int(struct.unpack_from("<" + form, data, place)[0])

    def inside(table: int, index: int) -> int:
        entries = table - number("i", table)
        offset = number("H", entries + 4 + 2 * index) if 4 + 2 * index < number("H", entries) else 0
        return table + offset if offset else 0

    def follow(place: int) -> int:
        return place + number("I", place)

    def fields(vector: int) -> None:
        for index in range(number("I", vector)):
            field = follow(vector + 4 + 4 * index)
            if data[inside(field, 2)] == 11:
                struct.pack_into("<h", data, inside(follow(inside(field, 3)), 0), unit)
            if children := inside(field, 5):
                fields(follow(children))

    schemas = [follow(inside(follow(16), 2))]
    footer = len(data) - 10 - number("i", len(data) - 10)
    schemas.append(follow(inside(follow(footer), 1)))
    for schema in schemas:
        fields(follow(inside(schema, 1)))
    return bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
