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


def server_folder() -> Path:
    """Returns the folder of the private PostgreSQL server.

    PostgreSQL refuses to run as root, and the user `postgres` cannot enter root's home folder: root's server
    therefore lives in the system's folder for lasting temporary files.
    """
    if os.geteuid() != 0:
        return cache_folder("postgres")
    folder = Path("/var/tmp") if Path("/var/tmp").is_dir() else Path(tempfile.gettempdir())
    return folder / "bowshot-bench-postgres"


def scale_name(scale: float) -> str:
    """Returns a scale factor as a part of a file's name.

    >>> scale_name(1.0), scale_name(0.1)
    ('sf1', 'sf0.1')
    """
    return f"sf{scale:g}"
