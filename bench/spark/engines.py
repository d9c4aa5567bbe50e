"""The engines: Sparks that read in one way each, with the jars and settings of that way."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.paths import cache_folder
from bench.spark.case import BOWSHOT, BOWSHOT_ON_4_1, COMET, DROP_IN, SPARK, Case, Group
from bench.spark.cluster import cluster
from bench.spark.engine import ROOT, Engine

NEWEST = "4.3.0"
# The newest that Comet is built for.
COMETS = "4.1.3"
MEMORY = "4g"
# An executor of a cluster has a core, so half of what reads with two; its driver only plans.
EXECUTOR_MEMORY = "2g"
COMMON = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# As its guide has it: without its shuffle manager it does nothing. Rows that are made natively, from batches of over
# 8,192 rows, took fewer CPU seconds than its defaults on every scan that was tried: 0.96 of 4 columns, 0.6 of 100.
COMET_SETTINGS = {
    "spark.plugins": "org.apache.spark.CometPlugin",
    "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
    "spark.comet.enabled": "true",
    "spark.comet.exec.enabled": "true",
    "spark.comet.exec.columnarToRow.native.enabled": "true",
    "spark.comet.batchSize": "32768",
    "spark.memory.offHeap.enabled": "true",
    "spark.memory.offHeap.size": "2g",
}


@dataclass(frozen=True)
class Kind:
    """What makes an engine: a version of Spark, jars by the beginnings of their names, and settings."""

    version: str = NEWEST
    jars: tuple[str, ...] = ("bowshot", "postgresql")
    settings: dict[str, str] = field(default_factory=dict)


KINDS = {
    SPARK: Kind(),
    BOWSHOT: Kind(),
    DROP_IN: Kind(settings={"spark.sql.extensions": "io.bowshot.spark.DropIn"}),
    COMET: Kind(COMETS, ("comet",), COMET_SETTINGS),
    BOWSHOT_ON_4_1: Kind(COMETS, ("bowshot",)),
}


def jar(name: str) -> Path:
    """Returns a jar, `bowshot`, `postgresql` or `comet`; raises `FileNotFoundError` where it is missing."""
    if name == "bowshot":
        built = Path(os.environ.get("BOWSHOT_SPARK_JAR") or ROOT / "java" / "spark" / "target" / "bowshot-spark.jar")
        if not built.is_file():
            raise FileNotFoundError(f"{built} is missing: dev/spark_build.sh, or name another with BOWSHOT_SPARK_JAR")
        return built
    found = sorted(cache_folder("spark-jars").glob(f"{name}-*.jar"))
    if not found:
        raise FileNotFoundError(f"there is no jar of {name}: dev/{'comet' if name == 'comet' else 'spark'}_setup.sh")
    return found[-1]


def python_of(version: str) -> Path:
    """Returns the Python that has a version of Spark; raises `FileNotFoundError` where it is missing."""
    python = cache_folder("") / f"spark-{version}" / "bin" / "python"
    if not python.is_file():
        raise FileNotFoundError(f"{python} is missing: dev/spark_setup.sh {version}")
    return python


def missing(case: Case) -> str:
    """Returns why a case cannot run here, where it needs Comet, which may be missing; or nothing."""
    if all(way.engine != COMET for way in case.ways):
        return ""
    try:
        jar("comet")
        python_of(COMETS)
    except FileNotFoundError as error:
        return str(error)
    return ""


@contextlib.contextmanager
def running(group: Group, cases: Sequence[Case], newest: Path | None = None) -> Iterator[Mapping[str, Engine]]:
    """Yields the engines of a group's cases, which start at the same time; `newest` is the Python of Spark 4.3."""
    names = dict.fromkeys(way.engine for case in cases for way in case.ways)
    with contextlib.ExitStack() as stack:
        where = {"spark.master": "local[*]", "spark.driver.memory": MEMORY}
        if group.workers:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bowshot-cluster-")))
            python = newest or python_of(NEWEST)
            master = stack.enter_context(cluster(python, folder, group.workers, len(names), EXECUTOR_MEMORY))
            where = _on_cluster(master, group.workers)
        engines = {}
        for name in names:
            kind = KINDS[name]
            jars = ",".join(str(jar(each)) for each in kind.jars)
            settings = COMMON | where | {"spark.jars": jars} | kind.settings
            python = newest if newest and kind.version == NEWEST else python_of(kind.version)
            command = [str(python), "-m", "bench.spark.worker", json.dumps(settings)]
            engines[name] = stack.enter_context(Engine(f"spark-{name.replace(' ', '-')}", command))
        for engine in engines.values():
            engine.start()
        yield engines


def versions(engines: Mapping[str, Engine]) -> dict[str, str]:
    """Returns what each engine says that it is, and the version of Java; of one that does not start, its cases tell."""
    found: dict[str, str] = {}
    for name, engine in engines.items():
        try:
            told = engine.ask({"verb": "versions"})
        except RuntimeError:
            continue
        comet = f" with {jar('comet').name}" if name == COMET else ""
        found |= {f"engine {name}": f"Spark {told['spark']}{comet}", "java": told["java"]}
    return found


def _on_cluster(master: str, workers: int) -> dict[str, str]:
    """Returns the settings by which an engine has one core of each worker, and waits for all of them."""
    return {
        "spark.master": master,
        "spark.cores.max": str(workers),
        "spark.executor.cores": "1",
        "spark.executor.memory": EXECUTOR_MEMORY,
        "spark.driver.memory": "1g",
        "spark.locality.wait": "0",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    }
