"""The parts of the benchmark: each measures one thing, and knows its bars."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.bars import Bar
from bench.gateway.figures import Figure, Rows
from bench.gateway.parts import files, first, network, rows, stalled, straight
from bench.gateway.settings import Settings


@dataclass(frozen=True)
class Part:
    """A part: what it measures in words, how, and what it must reach."""

    title: str
    run: Callable[[Settings, int], Iterator[Figure]]
    bars: Callable[[Rows], list[Bar]]


PARTS = {
    straight.NAME: Part("PostgreSQL through the gateway", straight.run, straight.bars),
    files.NAME: Part("Parquet files through the gateway, and other Flight SQL servers", files.run, files.bars),
    rows.NAME: Part("Row protocols, to pandas", rows.run, rows.bars),
    network.NAME: Part("A local and a wide area network", network.run, network.bars),
    stalled.NAME: Part("Stalled readers", stalled.run, stalled.bars),
    first.NAME: Part("The first batch", first.run, first.bars),
}
