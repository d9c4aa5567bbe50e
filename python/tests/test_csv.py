"""CSV as people have it: what is read is what Python's own reader reads, or an error that names the line."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import bowshot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

READ = {
    "cr": "id,name\r1,Ann\r2,Bob\r",
    "crcrlf": "id,name\r\r\n1,Ann\r\r\n2,Bob\r\r\n",
    "mixed": "id,name\n1,Ann\r\n2,Bob\r\r\n",
    "line ends in quotes": 'id,name\r\n1,"a\rb\nc\r\nd"\r\n2,"\r"\r\n',
    "blank lines at the end": "id,name\n1,Ann\n\n\n\n",
    "no line end": "id,name\n1,Ann",
    "header alone": "id,name\n",
    "header alone, cr": "id,name\r",
    "trailing delimiters": "id,name,\n1,Ann,x\n",
    "doubled quotes": 'id,name\n1,"a ""b"" c"\n',
    "texts for nothing": "id,name\n1,NA\n2,NULL\n",
    "thousands": 'id,name\n1,"1,234"\n',
    "spaces": "id,name\n1,  a  \n",
    "zero bytes": "id,name\n1,a\0b\n",
    "a long line": f"id,name\n1,{'x' * 120_000}\n",
}

REFUSED = {
    "a cr in a field": ("id,name\n1,A\rnn\n", "line 2"),
    "an lf among crs": ("id,name\r1,Ann\r2,Bob\n", "line 3"),
    "a quote in a field": ('id,name\n1,5" pipe\n', "line 2"),
    "too many fields": ("id,name\n1,Ann,x\n", "line 2"),
    "too few": ("id,name\r1\r", "line 2"),
    "an open quote": ('id,name\n1,"Ann\n', "line 2"),
    "nothing": ("", "empty"),
    "blank lines alone": ("\r\r", "empty"),
    "utf-16 without its mark": ("i\0d\0\n\0", "UTF-16"),
}


def by_python(text: str) -> list[list[str]]:
    """The rows, header first, without those that doubled line ends leave blank."""
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    names = [name or f"column_{place + 1}" for place, name in enumerate(rows[0])]
    return [names, *rows[1:]]


def by_bowshot(path: Path) -> list[list[str]]:
    names = list(bowshot.query("", path).schema.names)
    table = bowshot.read_sql("", path, return_type="arrow", types=dict.fromkeys(names, "utf8"))
    return [names, *([value or "" for value in row.values()] for row in table.to_pylist())]


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_is_read(tmp_path: Path, name: str, packed: bool, mark: str) -> None:
    data = (mark + READ[name]).encode()
    path = tmp_path / ("x.csv.gz" if packed else "x.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    assert by_bowshot(path) == by_python(READ[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    text, words = REFUSED[name]
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    with pytest.raises(bowshot.Error, match=words):
        by_bowshot(path)


FIELD = st.text(st.sampled_from("ab \r\n\"',;"), max_size=6)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(FIELD, FIELD), max_size=6), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_python_writes(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], end: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(written.getvalue().encode())
    assert by_bowshot(path) == [["a", "b"], *map(list, rows)]
