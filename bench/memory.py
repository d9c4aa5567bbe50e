"""Memory that is there when a load needs it: free memory that no host takes back, and files in the system's cache.

Where a host takes back what a virtual machine leaves free, the first touch of memory costs several times what it costs
on the machine itself, and who touches it first depends on what ran before. Some take what lies idle in the system's
cache, too. Ratios would tell more of that than of programs.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.floor.compile import compiled

# More than a load takes, servers beside it.
MOST = 14 << 30

BALLOON = Path("/sys/bus/virtio/drivers/virtio_balloon")
# The device's feature bit for it: VIRTIO_BALLOON_F_REPORTING.
REPORTING = 5

# Free blocks of 2 to the power of this many pages and more are reported to the host; and the largest that a kernel has.
REPORTED_ORDER = Path("/sys/module/page_reporting/parameters/page_reporting_order")
LARGEST_ORDER = 10


def host_takes_back() -> bool:
    """Returns whether this is a virtual machine whose host takes back what it leaves free."""
    features = (device.joinpath("features").read_text().strip() for device in BALLOON.glob("virtio*"))
    return any(bits[REPORTING : REPORTING + 1] == "1" for bits in features)


@contextmanager
def kept(wanted: bool = True) -> Iterator[bool]:
    """Keeps free memory, in pieces that no host takes back, until the block ends, and says whether it had to.

    A huge page is such a piece: who asks the system for some has them, as elsewhere. Raises `PermissionError` where
    this is needed and the user is not root.
    """
    if not wanted or not host_takes_back():
        yield False
        return
    with _large_blocks_only() as block:
        command = [str(compiled("pieces")), str(min(MOST, _available() * 3 // 4)), str(block)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pieces:
            if not pieces.stdout or not pieces.stdout.readline():
                raise RuntimeError("free memory cannot be kept from the host: see the line above")
            # Leaving this block ends the program's input, and with it the program.
            yield True


@contextmanager
def _large_blocks_only() -> Iterator[int]:
    """Lets the host take back no blocks but the largest ones that the system has; says how many bytes they have."""
    before = REPORTED_ORDER.read_text()
    REPORTED_ORDER.write_text(str(LARGEST_ORDER))
    try:
        yield os.sysconf("SC_PAGE_SIZE") << LARGEST_ORDER
    finally:
        REPORTED_ORDER.write_text(before)


def cached(files: Iterable[Path]) -> None:
    """Reads files through, so that whoever reads them next finds them in the system's cache."""
    for file in files:
        with file.open("rb") as bytes_of:
            while bytes_of.read(1 << 24):
                pass


def _available() -> int:
    """Returns how many bytes the machine could give to new programs."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    if found is None:
        raise LookupError("/proc/meminfo has no MemAvailable")
    return int(found[1]) * 1024


def peak() -> int:
    """Returns the highest resident memory of this process since `forget_peak`, in bytes."""
    return _memory("VmHWM")


def forget_peak() -> int:
    """Sets the highest resident memory of this process back to what it occupies now, and returns that in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(name: str) -> int:
    """Returns one of the memory figures of /proc/self/status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status has no {name}")
