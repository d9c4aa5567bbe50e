"""Free memory that is kept from the host of a virtual machine, and files in the system's cache."""

import os
import subprocess
from pathlib import Path

import pytest

from bench import memory
from bench.floor.compile import compiled

BLOCK = 4 << 20
PAGE = 4096


@pytest.mark.parametrize(("features", "expected"), [("011001", True), ("011000", False), ("", False)])
def test_the_balloon_tells_whether_the_host_takes_back(
    features: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "virtio0").mkdir()
    (tmp_path / "virtio0" / "features").write_text(features + "\n")
    monkeypatch.setattr(memory, "BALLOON", tmp_path)
    assert memory.host_takes_back() is expected


def test_without_such_a_host_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "BALLOON", tmp_path)
    with memory.kept() as kept:
        assert not kept


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may know where memory lies")
def test_a_page_of_each_block_is_held_until_the_input_ends() -> None:
    command = [str(compiled("pieces")), str(32 * BLOCK + 1), str(BLOCK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pieces:
        assert pieces.stdout is not None
        count = int(pieces.stdout.readline())
        held = Path(f"/proc/{pieces.pid}/smaps").read_text()
    assert pieces.returncode == 0
    assert count >= 32
    sizes = [int(line.split()[1]) for line in held.splitlines() if line.startswith("Rss:")]
    assert count * PAGE // 1024 in sizes or sum(size == PAGE // 1024 for size in sizes) >= count, (
        "kilobytes that are held"
    )


def test_the_kernels_setting_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = tmp_path / "order"
    setting.write_text("9\n")
    monkeypatch.setattr(memory, "REPORTED_ORDER", setting)
    with memory._large_blocks_only() as block:
        assert (setting.read_text(), block) == ("10", 4 << 20)
    assert setting.read_text() == "9\n"


def test_files_are_read_to_their_ends(tmp_path: Path) -> None:
    files = [tmp_path / "large", tmp_path / "small", tmp_path / "empty"]
    for file, size in zip(files, (40 << 20, 5, 0), strict=True):
        file.write_bytes(bytes(size))
    before = _bytes_read()
    memory.cached(files)
    assert _bytes_read() - before >= (40 << 20) + 5


def _bytes_read() -> int:
    """Returns how many bytes this process has read, wherever from."""
    return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])
