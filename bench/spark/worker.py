"""A JVM with Spark that reads what it is asked for, in the environment of dev/spark_setup.sh.

Each line of standard input asks, as JSON, and each line of standard output answers. `Engine` is the other end.

python -m bench.spark.worker bowshot.jar,postgresql.jar 4g
"""

import json
import os
import sys
import time
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from bench import cpu


def session(jars: str, memory: str) -> SparkSession:
    """Starts Spark with as many tasks at a time as there are cores."""
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": memory,
        "spark.jars": jars,
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[*]").appName("bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def query(spark: SparkSession, asked: dict[str, Any]) -> DataFrame:
    """Returns the DataFrame of a question, whose data is read anew, the schema of files included."""
    reader = spark.read.format(asked["format"]).options(**asked["options"])
    if asked["schema"]:
        reader = reader.schema(asked["schema"])
    data = reader.load(asked["path"]) if asked["path"] else reader.load()
    data.createOrReplaceTempView("data")
    return spark.sql(asked["sql"])


def check(spark: SparkSession, asked: dict[str, Any]) -> dict[str, float]:
    """Returns the number of rows, and a sum over all cells that does not depend on the rows' order."""
    (row,) = query(spark, asked).agg(expr("count(*)"), expr("bit_xor(xxhash64(*))")).collect()
    return {"rows": row[0], "sum": row[1]}


def run(spark: SparkSession, jvm: int, asked: dict[str, Any]) -> dict[str, float]:
    """Reads all and throws it away; returns the seconds of one read, with the CPU time of the JVM and its children."""
    reads = asked["reads"]
    machine, worked, start = cpu.machine_seconds(), cpu.tree_seconds(jvm), time.perf_counter()
    for _ in range(reads):
        query(spark, asked).write.format("noop").mode("overwrite").save()
    wall, spent = time.perf_counter() - start, cpu.tree_seconds(jvm) - worked
    others = cpu.machine_seconds() - machine - spent
    return {"CPU s": spent / reads, "wall s": wall / reads, "others cores": max(0.0, others / wall)}


def answer(spark: SparkSession, jvm: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Answers one question: `versions`, `check` or `run`."""
    if asked["verb"] == "versions":
        return {"spark": spark.version, "java": spark._jvm.java.lang.System.getProperty("java.version")}
    return check(spark, asked) if asked["verb"] == "check" else run(spark, jvm, asked)


def main() -> None:
    """Runs the command line."""
    # The JVM prints on what is standard output when it starts: answers keep the pipe for themselves.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    spark = session(*sys.argv[1:])
    jvm = int(spark._jvm.java.lang.ProcessHandle.current().pid())
    for line in sys.stdin:
        try:
            answered = answer(spark, jvm, json.loads(line))
        except Exception as error:
            # The second line of an error of Java has its reason.
            answered = {"error": " ".join([type(error).__name__, *str(error).strip().splitlines()[:2]])}
        answers.write(json.dumps(answered) + "\n")
        answers.flush()
    spark.stop()


if __name__ == "__main__":
    main()
