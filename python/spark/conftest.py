"""A Spark of two tasks at a time, with the jar and a JDBC driver; and what the tests of `python/tests` have."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from spark.version import VERSION
from tests.conftest import ROOT, command, database, mariadb, postgres, shop, testkit
from tests.test_tickets import accounts, writers

__all__ = ["accounts", "command", "database", "mariadb", "postgres", "shop", "testkit", "writers"]

# Python data sources came with Spark 4.0, and so did Scala 2.13, which the extension needs.
collect_ignore_glob = ["test_python_*.py", "test_dropin*.py"] if VERSION < (4, 0) else []

ZONE = "America/New_York"
"""The session's time zone: not UTC, so that an instant that is taken for local time shows."""

LOG_FILE = "bowshot.log"
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
logger.bowshot.name = io.bowshot
logger.bowshot.level = info
logger.bowshot.additivity = false
logger.bowshot.appenderRef.file.ref = file
"""
"""Spark's errors to the console; Bowshot's own words to a file."""


def with_jar() -> bool:
    """Whether Spark is started with Bowshot's jar."""
    return any(not path.name.startswith("postgresql-") for path in jars())


def jars() -> list[Path]:
    """What Spark is started with: the jar of dev/spark_build.sh if it was built, and PostgreSQL's JDBC driver."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    named = os.environ.get("BOWSHOT_SPARK_JAR")
    jar = Path(named) if named else ROOT / "java" / "spark" / "target" / "bowshot-spark.jar"
    drivers = sorted((cache / "bowshot" / "spark-jars").glob("postgresql-*.jar"))
    return [path for path in (jar, *drivers) if path.exists()]


@pytest.fixture(scope="session")
def event_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which Spark writes down all that its web pages would show, plans included."""
    return tmp_path_factory.mktemp("spark-events")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, event_log: Path) -> Iterator[SparkSession]:
    """The session of all tests."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    folder = tmp_path_factory.mktemp("spark")
    logging = folder / "log4j2.properties"
    logging.write_text(LOGGING.format(file=folder / LOG_FILE), "utf-8")
    os.environ["BOWSHOT_TEST_LOG"] = str(folder / LOG_FILE)
    settings = {
        # Programs that stay as they are: only the tests of it switch it on.
        "spark.bowshot.dropin": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": event_log.as_uri(),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.jars": ",".join(map(str, jars())),
        "spark.local.dir": str(folder / "local"),
        # Spark 3.5 refuses old dates unless it is told that their writer knew the calendar of today.
        "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
        "spark.sql.extensions": "io.bowshot.spark.DropIn" if with_jar() else "",
        "spark.sql.session.timeZone": ZONE,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("bowshot")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def log(spark: SparkSession) -> Path:
    """The file to which Spark's driver and tasks write what Bowshot says."""
    assert spark.version
    return Path(os.environ["BOWSHOT_TEST_LOG"])
