"""What the figures of a profile mean, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .times import Profile, Site

# As much of the connections' time without a free core is worth a word, where it is not the most.
_STARVED = 0.15
# What a shorter read takes is as much chance as anything, in seconds.
_SHORT = 0.005


class Names(NamedTuple):
    """What the states are called."""

    connecting: str
    server: str
    decoding: str
    waiting: str
    starved: str


_SERVER = {
    "server": "waiting for the server",
    "files": "waiting for files",
    "here": "waiting for the disk",
    "driver": "waiting for the driver",
}


def names(site: Site) -> Names:
    """What the states of a read are called, by where its source does its work."""
    work = "database and decoding" if site == "here" else "decoding"
    return Names("connecting", _SERVER[site], work, "waiting for room", "no free core")


def headline(profile: Profile) -> str:
    """What was read, in how much time."""
    over = len(profile.connections)
    what = f"{count(profile.rows, 'row')}, {size(profile.bytes)}"
    how = f"in {duration(profile.total)} over {count(over, 'connection')}"
    if profile.outcome == "complete":
        return f"{what} {how}"
    begin = {"running": "Still reading", "failed": "The read failed", "stopped": "The consumer stopped the read"}
    return f"{begin[profile.outcome]}: {what} {how}"


def summary(profile: Profile) -> str:
    """Where the time went, in a sentence or two."""
    busy = sum(connection.duration for connection in profile.connections)
    if not profile.total or not busy:
        return "No connection was asked for, so no time went anywhere."
    if profile.outcome == "complete" and profile.total < _SHORT:
        return "That is too short to say what limits it."
    times = {state: getattr(profile, state) / busy for state in Names._fields}
    most = max(times, key=lambda state: times[state])
    said = _limit(profile, most, times[most])
    if most != "starved" and times["starved"] >= _STARVED:
        said += f" For another {percent(times['starved'])}, no core of this machine was free."
    return said


def _limit(profile: Profile, state: str, share: float) -> str:
    working = profile.consumer.working / profile.total
    if working > 0.5:
        return f"The consumer was at work {percent(working)} of the time: it is the limit, not the source."
    whose = "time" if len(profile.connections) == 1 else "connections' time"
    of = f"{percent(share)} of the {whose}"
    if state == "connecting":
        return f"Connecting took {of}: there is little to read, or the server is slow to let connections in."
    if state == "waiting":
        return (
            f"Connections waited for room {of}, while the consumer waited for the partition that comes next:"
            f" a larger buffer_bytes lets them read on."
        )
    if state == "starved":
        return f"No core of this machine was free for {of}: it has more to do, here and elsewhere, than its cores can."
    if state == "decoding":
        if profile.site == "here":
            return f"The database, which works in this process, and decoding took {of}: this machine is the limit."
        return f"Decoding took {of}: the CPU of this machine is the limit."
    return {
        "server": f"The server was waited for {of}: the database, or the network to it, is the limit.",
        "files": f"Files were waited for {of}: the disk, or the network to the store, is the limit.",
        "here": f"The disk was waited for {of}, or a lock on the database: it is the limit.",
        "driver": f"The driver was waited for {of}: the database or its driver is the limit.",
    }[profile.site]


def percent(share: float) -> str:
    """A share of one, rounded; what is there is not called nothing, and what is not whole not all.

    >>> percent(0.826), percent(0.001), percent(0.9999), percent(0), percent(1)
    ('83 %', '<1 %', '>99 %', '0 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 0.9999999:
        return ">99 %"
    return f"{share * 100:.0f} %"


def duration(seconds: float) -> str:
    """A time with three digits.

    >>> duration(0), duration(1e-8), duration(0.0000123), duration(0.0456), duration(3.14159)
    ('0 s', '<1 µs', '12.3 µs', '45.6 ms', '3.14 s')
    >>> duration(99.99), duration(3599.7), duration(3725)
    ('1 min 40 s', '1 h 00 min', '1 h 02 min')
    """
    if seconds <= 0:
        return "0 s"
    if seconds < 1e-6:
        return "<1 µs"
    if seconds < 0.9995e-3:
        return f"{_digits(seconds * 1e6)} µs"
    if seconds < 0.9995:
        return f"{_digits(seconds * 1e3)} ms"
    if seconds < 99.95:
        return f"{_digits(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def size(amount: int) -> str:
    """An amount of memory.

    >>> size(0), size(1), size(999), size(12_345), size(6_789_000_000)
    ('0 bytes', '1 byte', '999 bytes', '12.3 kB', '6.79 GB')
    """
    if amount < 1000:
        return count(amount, "byte")
    value, units = amount / 1000, ["PB", "TB", "GB", "MB", "kB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop()
    return f"{_digits(value)} {units[-1]}"


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "row"), count(1234567, "row"), count(2, "batch")
    ('1 row', '1,234,567 rows', '2 batches')
    """
    plural = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{plural}"


def _digits(value: float) -> str:
    """Three digits, without zeros at the end."""
    places = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
