"""A standalone cluster of Spark on loopback: a master, and workers that each lend every engine a core."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_TO_START = 60
SECONDS_TO_END = 30


@contextmanager
def cluster(python: Path, folder: Path, workers: int, engines: int, memory: str) -> Iterator[str]:
    """Yields the master's address; each worker has a core and `memory` for each of the engines, who take turns.

    `folder` gets the logs and what executors keep. Raises `RuntimeError` where a process does not start.
    """
    home = _home(python)
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, role: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        line = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{role}", "--host", "127.0.0.1"]
        with log.open("wb") as said:
            command = [*line, "--webui-port", "0", *arguments]
            processes.append(subprocess.Popen(command, stdout=said, stderr=said, env=_environment(home, python)))
        return log

    try:
        master = _said(start("master", "master.Master", "--port", "0"), r"spark://127\.0\.0\.1:\d+")
        # Memory is given in whole gigabytes: `2g`.
        lent = ["--cores", str(engines), "--memory", f"{engines * int(memory.removesuffix('g'))}g"]
        names = [f"worker-{number}" for number in range(workers)]
        logs = [start(name, "worker.Worker", *lent, "--work-dir", str(folder / name), master) for name in names]
        for log in logs:
            _said(log, "Successfully registered")
        yield master
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
        for process in processes:
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _home(python: Path) -> str:
    """Returns the folder of the classes and programs in PyPI's wheel."""
    code = "import importlib.util; print(importlib.util.find_spec('pyspark').submodule_search_locations[0])"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _environment(home: str, python: Path) -> dict[str, str]:
    own = {
        "SPARK_HOME": home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": str(python),
    }
    return dict(os.environ) | own


def _said(log: Path, pattern: str) -> str:
    """Waits for a log to say something; returns it."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if match := re.search(pattern, log.read_text(errors="replace")):
            return match[0]
        time.sleep(0.02)
    raise RuntimeError(f"{log.name} has no {pattern} after {SECONDS_TO_START} s: {log.read_text(errors='replace')}")
