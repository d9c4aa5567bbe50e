"""What a machine must hold still for a run that counts, for Bowshot, its peers and the floors alike."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench import loopback, memory


@contextmanager
def steady(wanted: bool = True) -> Iterator[dict[str, bool | str]]:
    """Keeps free memory and lets loopback send as it can, until the block ends; yields what a result says of both.

    Raises as `memory.kept` does.
    """
    with memory.kept(wanted) as kept, loopback.unpaced(wanted) as control:
        yield {"kept": kept, "loopback": control}
