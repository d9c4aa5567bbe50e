"""A standalone cluster on loopback, of the classes in PyPI's wheel: a master and two workers of one core each."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyspark

T = TypeVar("T")
HOME = Path(pyspark.__file__).parent

PROGRAM = """
import json, sys, threading, time
from pathlib import Path
from pyspark import TaskContext
from pyspark.sql import SparkSession, functions as f

arguments = json.loads(sys.argv[1])
builder = SparkSession.builder.appName("application")
for name, value in arguments["settings"].items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()

def say(**found):
    print(json.dumps(found), flush=True)

def read(sql, **options):
    return spark.read.format("bowshot").option("query", sql).options(**options).load(arguments["uri"])

for line in sys.stdin:
    exec(json.loads(line), globals())
"""
"""An application: a session, which runs the code that a test sends it and says what was found."""


@dataclass
class Application:
    """A Python program that drives Spark; it runs code that it is sent, and tells what it found."""

    process: subprocess.Popen[str]
    log: Path

    def run(self, code: str) -> None:
        """Sends it code, which runs after what was sent before."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()

    def told(self) -> dict[str, Any]:
        """What the code says next by `say(name=value)`."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the application ended: {self.log.read_text('utf-8')[-5000:]}"
        found: dict[str, Any] = json.loads(line)
        return found


@dataclass
class Cluster:
    """A master and its workers."""

    folder: Path
    master: str
    workers: list[int]

    def executors(self) -> list[int]:
        """The process ids of all executors that run."""
        return sorted(pid for worker in self.workers for pid in children(worker) if "CoarseGrained" in command(pid))

    @contextmanager
    def application(self, uri: str, jar: str, **settings: str) -> Iterator[Application]:
        """Starts an application that reads from `uri`; stops it where nobody else has done so."""
        program = self.folder / "application.py"
        program.write_text(PROGRAM, "utf-8")
        log = self.folder / "application.log"
        arguments = {"settings": self.settings(jar) | settings, "uri": uri}
        line = [sys.executable, str(program), json.dumps(arguments)]
        pipe = subprocess.PIPE
        with log.open("w") as errors:
            process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=environment())
        try:
            yield Application(process, log)
        finally:
            # Its JVM ends with it.
            process.kill()
            process.communicate()

    def settings(self, jar: str) -> dict[str, str]:
        """How the cluster's applications run."""
        return {
            "spark.master": self.master,
            "spark.cores.max": "2",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "512m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.jars": jar,
            "spark.locality.wait": "0",
            "spark.local.dir": str(self.folder / "local"),
            # No task waits for the second executor.
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Starts a cluster, and stops it by the pids of its processes."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, host: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        line = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{arguments[0]}", "--host", host]
        with log.open("wb") as output:
            made = subprocess.Popen([*line, *arguments[1:]], stdout=output, stderr=output, env=environment(host))
        processes.append(made)
        return log

    def logged(log: Path, pattern: str) -> str:
        def found() -> str | None:
            match = re.search(pattern, log.read_text("utf-8"))
            return match[0] if match else None

        return until(found, f"{log.name} never has {pattern}", 60)

    try:
        begun = start("master", "127.0.0.1", "master.Master", "--port", "0", "--webui-port", "0")
        master = logged(begun, r"spark://127\.0\.0\.1:\d+")
        worker = ("worker.Worker", "--webui-port", "0", "--cores", "1", "--memory", "1g")
        # Each has an address of its own: Spark never runs a slow task a second time on the same host.
        hosts = ("127.0.0.1", "127.0.0.2")
        work = [folder / f"work-{host}" for host in hosts]
        begun_there = [
            start(f"worker-{host}", host, *worker, "--work-dir", str(at), master)
            for host, at in zip(hosts, work, strict=True)
        ]
        for log in begun_there:
            logged(log, "Successfully registered")
        yield Cluster(folder, master, [made.pid for made in processes[1:]])
    finally:
        for made in reversed(processes):
            made.send_signal(signal.SIGTERM)
        for made in processes:
            made.wait(30)


def environment(host: str = "127.0.0.1") -> dict[str, str]:
    """The environment of Spark's programs: on loopback alone, with this Python."""
    own = {
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    # A test's own Spark names its gateway here.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_")}
    return inherited | own


def until(found: Callable[[], T | None], what: str, seconds: float = 20) -> T:
    """Asks until there is an answer; fails with `what` after some seconds."""
    end = time.monotonic() + seconds
    while True:
        answer = found()
        if answer:
            return answer
        assert time.monotonic() < end, what
        time.sleep(0.02)


def children(parent: int) -> list[int]:
    """The process ids of a process's children."""
    found = []
    for tasks in Path(f"/proc/{parent}/task").iterdir():
        try:
            found += [int(pid) for pid in (tasks / "children").read_text().split()]
        except FileNotFoundError:
            continue
    return found


def command(pid: int) -> str:
    """The command line of a process; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    except FileNotFoundError:
        return ""


def resident(pid: int) -> int:
    """How many bytes of a process lie in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def files(pid: int) -> int:
    """How many files and sockets a process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
