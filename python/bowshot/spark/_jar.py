"""Where the jar is."""

from __future__ import annotations

import os
from pathlib import Path

from ..exceptions import ConfigError

NAME = "bowshot-spark.jar"


def jar() -> str:
    """The path of the jar for `spark.jars`: what `BOWSHOT_SPARK_JAR` names, else the one that lies with this package.

    Raises `bowshot.ConfigError` where there is none, with the way out.

    >>> import bowshot, os, tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".jar") as file:
    ...     os.environ["BOWSHOT_SPARK_JAR"] = file.name
    ...     bowshot.spark.jar() == file.name
    True
    >>> del os.environ["BOWSHOT_SPARK_JAR"]
    """
    named = os.environ.get("BOWSHOT_SPARK_JAR")
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"BOWSHOT_SPARK_JAR names {named}, which is no file; name the jar of Bowshot for Spark")
        return named
    package = Path(__file__).resolve().parent
    # Packaged; or built in a checkout by dev/spark_build.sh.
    for path in (package / NAME, package.parents[2] / "java" / "spark" / "target" / NAME):
        if path.is_file():
            return str(path)
    raise ConfigError(
        f"there is no {NAME} with this package; build it with dev/spark_build.sh, name one with BOWSHOT_SPARK_JAR,"
        " or read databases without it: bowshot.spark.read_sql(spark, sql, con)"
    )
