"""Where the benchmark keeps what it can use again: generated data, databases, its Python environment."""

import os
import tempfile
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Returns `${XDG_CACHE_HOME:-~/.cache}/bowshot/<name>`, made if it is missing."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "bowshot" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def server_folder(database: str) -> Path:
    """Returns the folder of a private server, `postgres` or `mariadb`.

    They refuse to run as root, and other users cannot enter root's home folder: root's servers therefore live in the
    system's folder for lasting temporary files.
    """
    if os.geteuid() != 0:
        return cache_folder(database)
    folder = Path("/var/tmp") if Path("/var/tmp").is_dir() else Path(tempfile.gettempdir())
    return folder / f"bowshot-bench-{database}"


def scale_name(scale: float) -> str:
    """Returns a scale factor as a part of a file's name.

    >>> scale_name(1.0), scale_name(0.1)
    ('sf1', 'sf0.1')
    """
    return f"sf{scale:g}"
