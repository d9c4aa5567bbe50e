"""Draws a profile: a row a connection, a bar a partition, and the consumer below.

A bar is as long as the partition took, and its height is divided by what was done in that time: the area of a colour is
the time in that state. Many partitions or stretches are summed up in columns, so that a picture has a bounded size.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from .columns import Column, columns
from .scale import ticks
from .text import fitted, plain, width
from .words import Names, count, duration, headline, names, percent, size, summary

if TYPE_CHECKING:
    from .times import ConnectionProfile, PartitionProfile, Profile

_WIDTH = 960
_MARGIN = 24
# Where bars begin and end.
_LEFT, _RIGHT = 152, _WIDTH - _MARGIN
_ACROSS = _RIGHT - _LEFT
# Rows of connections.
_MOST_ROWS = 48
# Columns of all rows together, of which each has up to four rectangles.
_MOST_COLUMNS = 6000
# Partitions that can be pointed at, and that are told apart.
_MOST_PARTITIONS = 400
# A label on less room would say nothing.
_LABEL = 48

# In the order in which they are piled up, from the top.
_STATES: Sequence[str] = Names._fields

_STYLE = """
.bowshot-profile{color-scheme:light dark;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.bowshot-profile text{fill:#1d2433;font-size:12px}
.bowshot-profile .head{font-size:17px;font-weight:600}
.bowshot-profile .said{font-size:13px}
.bowshot-profile .soft{fill:#5b6475;font-size:11px}
.bowshot-profile .page{fill:#fff}
.bowshot-profile .track{fill:#f0f2f6}
.bowshot-profile .grid{stroke:#dfe3ea;stroke-width:1}
.bowshot-profile .gap{stroke:#fff;stroke-width:1}
.bowshot-profile .fault{stroke:#c3262f;stroke-width:2.5;stroke-linecap:round}
.bowshot-profile .hit{fill:transparent}
.bowshot-profile .hit:hover{fill:#1d2433;fill-opacity:.14}
.bowshot-profile .connecting{fill:#7b8296}
.bowshot-profile .server{fill:#3f74d9}
.bowshot-profile .decoding{fill:#17a07c}
.bowshot-profile .waiting{fill:#eda52c}
.bowshot-profile .starved{fill:#c94f6d}
.bowshot-profile .idle{fill:#d3cfe3}
.bowshot-profile .working{fill:#8a56c2}
@media (prefers-color-scheme:dark){
.bowshot-profile text{fill:#e7eaf1}
.bowshot-profile .soft{fill:#9aa4b8}
.bowshot-profile .page{fill:#141922}
.bowshot-profile .track{fill:#1f2632}
.bowshot-profile .grid{stroke:#2c3545}
.bowshot-profile .gap{stroke:#141922}
.bowshot-profile .fault{stroke:#ff7078}
.bowshot-profile .hit:hover{fill:#fff}
.bowshot-profile .connecting{fill:#8d95ab}
.bowshot-profile .server{fill:#5b8ff0}
.bowshot-profile .decoding{fill:#25b891}
.bowshot-profile .waiting{fill:#f0b24a}
.bowshot-profile .starved{fill:#e0708c}
.bowshot-profile .idle{fill:#443f5c}
.bowshot-profile .working{fill:#a97fdd}
}
"""


class _Row(NamedTuple):
    """How tall things are, by how many rows there are."""

    bar: float
    """A bar."""
    step: float
    """From one row to the next."""
    label: bool
    """Whether there is room for a line above each bar."""


def draw(profile: Profile) -> str:
    """The picture as SVG text."""
    picture = _Picture(profile)
    return picture.text()


class _Picture:
    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.names = names(profile.site)
        ends = [connection.end for connection in profile.connections]
        # What a worker does while the stream ends may lie after the end.
        self.span = max([profile.total, *ends]) or 1e-9
        self.parts: list[str] = []
        self.y = float(_MARGIN)

    def text(self) -> str:
        self._heading()
        self._legend()
        self._timeline()
        height = round(self.y + _MARGIN)
        body = "\n".join(self.parts)
        mark = f"bowshot-{zlib.crc32(body.encode()):08x}"
        title, said = escape(f"Timeline of a read: {headline(self.profile)}"), escape(summary(self.profile))
        said = f"{said} {escape(self._spoken())}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="bowshot-profile" role="img"'
            f' aria-labelledby="{mark}-title {mark}-desc" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"'
            f' height="{height}" style="max-width:100%;height:auto">\n'
            f'<title id="{mark}-title">{title}</title>\n<desc id="{mark}-desc">{said}</desc>\n'
            f"<style>{_STYLE}</style>\n"
            f'<rect class="page" width="{_WIDTH}" height="{height}" rx="10"/>\n{body}\n</svg>\n'
        )

    def _spoken(self) -> str:
        """What the picture shows, for people who do not see it."""
        busy = sum(connection.duration for connection in self.profile.connections)
        shares = [f"{name} {percent(share)}" for _, name, share in self._shares() if busy]
        consumer = self.profile.consumer
        shares += [f"consumer waiting {duration(consumer.waiting)}", f"working {duration(consumer.working)}"]
        return f"Shares of the connections' time: {', '.join(shares)}."

    def _shares(self) -> list[tuple[str, str, float]]:
        busy = sum(connection.duration for connection in self.profile.connections)
        return [
            (state, getattr(self.names, state), getattr(self.profile, state) / busy if busy else 0.0)
            for state in _STATES
        ]

    def _heading(self) -> None:
        self.y += 14
        self._text(_MARGIN, self.y, fitted(headline(self.profile), 17, _RIGHT - _MARGIN), "head")
        for line in _lines(summary(self.profile), 13, _RIGHT - _MARGIN):
            self.y += 20
            self._text(_MARGIN, self.y, line, "said")

    def _legend(self) -> None:
        self.y += 28
        self._entries([(state, f"{name} {percent(share)}") for state, name, share in self._shares()])
        consumer, total = self.profile.consumer, self.profile.total or 1e-9
        self.y += 20
        self._entries(
            [
                ("idle", f"consumer waiting {percent(consumer.waiting / total)}"),
                ("working", f"consumer working {percent(consumer.working / total)}"),
            ]
        )
        self.y += 16

    def _entries(self, entries: list[tuple[str, str]]) -> None:
        x = float(_MARGIN)
        for state, words in entries:
            wide = 18 + width(words, 12)
            if x + wide > _RIGHT and x > _MARGIN:
                x, self.y = float(_MARGIN), self.y + 20
            self.parts.append(
                f'<rect class="{state}" x="{_n(x)}" y="{_n(self.y - 10)}" width="12" height="12" rx="3"/>'
            )
            self._text(x + 18, self.y, words)
            x += wide + 18

    def _timeline(self) -> None:
        connections = self.profile.connections
        shown = connections[:_MOST_ROWS]
        row = _row(len(shown), any(self._x(one.end) - self._x(one.start) >= _LABEL for one in self.profile.partitions))
        top = self.y + 18
        # The axis is drawn first, so that bars lie on its lines.
        axis = len(self.parts)
        self.y = top + 10
        by_connection: dict[int, list[PartitionProfile]] = {connection.index: [] for connection in shown}
        for partition in self.profile.partitions:
            if partition.connection in by_connection:
                by_connection[partition.connection].append(partition)
        most = max(40, _MOST_COLUMNS // max(len(shown), 1))
        for connection in shown:
            self._connection(connection, by_connection[connection.index], row, min(most, int(_ACROSS // 2)))
        if len(connections) > len(shown):
            self.y += 14
            left = len(connections) - len(shown)
            self._text(_LEFT, self.y, f"… and {count(left, 'more connection')}, read side by side with these", "soft")
            self.y += 6
        self._consumer()
        self.parts[axis:axis] = self._axis(top, self.y)

    def _axis(self, top: float, bottom: float) -> list[str]:
        lines, free = [], -1.0
        for at, words in ticks(self.span, _ACROSS / 90):
            x = _LEFT + at / self.span * _ACROSS
            lines.append(f'<path class="grid" d="M{_n(x)} {_n(top)}V{_n(bottom)}"/>')
            half = width(words, 11) / 2
            if x - half > free and x + half <= _WIDTH - 4:
                lines.append(_text(x, top - 6, words, "soft", "middle"))
                free = x + half + 8
        return lines

    def _connection(
        self, connection: ConnectionProfile, partitions: list[PartitionProfile], row: _Row, most: int
    ) -> None:
        top = self.y + (row.step - row.bar)
        self.y += row.step
        several = sum(partition.count for partition in partitions)
        if row.bar >= 9:
            name = f"connection {connection.index}"
            middle = top + row.bar / 2
            if row.bar >= 26:
                self._text(_MARGIN, middle - 2, name)
                self._text(_MARGIN, middle + 12, count(several, "partition"), "soft")
            else:
                self._text(_MARGIN, middle + 4, name, "soft" if row.bar < 14 else "")
        self._track(top, row.bar)
        stretches = [
            _column(stretch.start, stretch.end, stretch, _STATES) for one in partitions for stretch in one.stretches
        ]
        if not partitions:
            # It was opened, or refused, and had nothing to read.
            end = connection.end if connection.opened is None else connection.opened
            stretches = [Column(connection.start, end, (end - connection.start, 0.0, 0.0, 0.0, 0.0))]
        self._area(stretches, _STATES, top, row.bar, most)
        self._partitions(partitions, top, row)
        if connection.failed:
            self._fault(self._x(connection.end), top + row.bar / 2)

    def _track(self, top: float, height: float) -> None:
        self.parts.append(
            f'<rect class="track" x="{_LEFT}" y="{_n(top)}" width="{_ACROSS}" height="{_n(height)}" rx="3"/>'
        )

    def _area(self, stretches: list[Column], states: Sequence[str], top: float, height: float, most: int) -> None:
        """Each state down to the bottom, and the next one over it: no seams between them."""
        drawn = columns(stretches, self.span, most)
        for index, state in enumerate(states):
            if any(column.times[index] for column in drawn):
                path = self._outline(drawn, index, top, height)
                self.parts.append(f'<path class="{state}" d="{path}"/>')

    def _outline(self, drawn: list[Column], index: int, top: float, height: float) -> str:
        """Steps along the upper edge of a state, down to the bottom where there is a hole in time."""
        bottom = _n(top + height)
        steps: list[str] = []
        last: float | None = None
        for column in drawn:
            whole = sum(column.times)
            if not whole:
                continue
            edge = top + height * sum(column.times[:index]) / whole
            start, end = self._x(column.start), self._x(column.end)
            end = max(end, start + 0.6)
            if last is None or start > last + 0.3:
                steps.append(f"{'' if last is None else f'V{bottom}z'}M{_n(start)} {bottom}")
            steps.append(f"V{_n(edge)}H{_n(end)}")
            last = end
        return "".join(steps) + f"V{bottom}z"

    def _partitions(self, partitions: list[PartitionProfile], top: float, row: _Row) -> None:
        """What tells partitions apart: gaps, labels, and words for the pointer that rests on them."""
        few = len(self.profile.partitions) <= _MOST_PARTITIONS
        free = float(_LEFT)
        for partition in partitions:
            x, end = self._x(partition.start), self._x(partition.end)
            if few:
                if end - x >= 3 and partition is not partitions[-1]:
                    self.parts.append(f'<path class="gap" d="M{_n(end)} {_n(top)}v{_n(row.bar)}"/>')
                words = fitted(plain(partition.label), 11, min(end, _RIGHT) - max(x, free) - 6) if row.label else ""
                if words:
                    self._text(max(x, free) + 1, top - 4, words, "soft")
                    free = max(x, free) + width(words, 11) + 8
                self._hit(partition, x, end, top, row.bar)

    def _hit(self, partition: PartitionProfile, x: float, end: float, top: float, height: float) -> None:
        wide = max(end - x, 1.0)
        self.parts.append(
            f'<rect class="hit" x="{_n(x)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(height)}">'
            f"<title>{escape(self._told(partition))}</title></rect>"
        )

    def _told(self, partition: PartitionProfile) -> str:
        label = plain(partition.label)
        lines = [label[:500] or f"partition {partition.index}"]
        if partition.count > 1:
            lines.append(f"and {partition.count - 1:,} more, up to partition {partition.last}")
        lines.append(f"{count(partition.rows, 'row')}, {size(partition.bytes)}, {count(partition.batches, 'batch')}")
        lines.append(f"{duration(partition.duration)} from {duration(partition.start)} on")
        for state in _STATES:
            if time := getattr(partition, state):
                lines.append(f"{getattr(self.names, state)}: {duration(time)}")
        if not partition.complete:
            lines.append("not read to its end")
        return "\n".join(lines)

    def _fault(self, x: float, y: float) -> None:
        x = min(max(x, _LEFT + 6), _RIGHT - 6)
        self.parts.append(
            f'<path class="fault" d="M{_n(x - 4)} {_n(y - 4)}l8 8m0 -8l-8 8"><title>the read failed here</title></path>'
        )

    def _consumer(self) -> None:
        self.y += 20
        top, height = self.y, 22.0
        self._text(_MARGIN, top + 15, "consumer")
        self._track(top, height)
        states = ("waiting", "working")
        stretches = [
            _column(stretch.start, stretch.end, stretch, states) for stretch in self.profile.consumer.stretches
        ]
        self._area(stretches, ("idle", "working"), top, height, int(_ACROSS // 2))
        self.y += height

    def _x(self, at: float) -> float:
        return _LEFT + at / self.span * _ACROSS

    def _text(self, x: float, y: float, words: str, kind: str = "") -> None:
        self.parts.append(_text(x, y, words, kind))


def _row(rows: int, labels: bool) -> _Row:
    if rows <= 8:
        return _Row(bar=32, step=54 if labels else 42, label=labels)
    if rows <= 16:
        return _Row(bar=18, step=24, label=False)
    return _Row(bar=10, step=14, label=False)


def _column(start: float, end: float, holder: object, states: Iterable[str]) -> Column:
    return Column(start, end, tuple(getattr(holder, state) for state in states))


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "") -> str:
    named = f" class={quoteattr(kind)}" if kind else ""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{named}{anchored}>{escape(words)}</text>'


def _lines(text: str, em: float, room: float) -> list[str]:
    """Words in as many lines as they need."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, em) > room and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _n(value: float) -> str:
    """A number with one digit after the point at most, and without one where it says nothing."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
