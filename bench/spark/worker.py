"""A JVM with Spark that reads what it is asked for, in the environment of dev/spark_setup.sh.

Each line of standard input asks, as JSON, and each line of standard output answers. `Engine` is the other end.

python -m bench.spark.worker '{"spark.master": "local[*]", "spark.jars": "bowshot.jar"}'
"""

import json
import os
import sys
import time
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from bench import cpu


def session(settings: dict[str, str]) -> SparkSession:
    """Starts Spark with these settings."""
    builder = SparkSession.builder.appName("bench")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def readers(spark: SparkSession, jvm: int) -> list[int]:
    """Returns the processes that read: the executors on a cluster, else the driver's JVM itself."""
    return (
        [jvm] if spark.sparkContext.master.startswith("local") else cpu.started_with(spark.sparkContext.applicationId)
    )


def query(spark: SparkSession, asked: dict[str, Any]) -> DataFrame:
    """Returns the DataFrame of a question, whose data is read anew, the schema of files included."""
    reader = spark.read.format(asked["format"]).options(**asked["options"])
    if asked["schema"]:
        reader = reader.schema(asked["schema"])
    data = reader.load(asked["path"]) if asked["path"] else reader.load()
    data.createOrReplaceTempView("data")
    return spark.sql(asked["sql"])


def check(spark: SparkSession, asked: dict[str, Any]) -> dict[str, float]:
    """Returns the number of rows, and a sum over all cells that does not depend on the rows' order.

    Raises `RuntimeError` where the plan of the query lacks what it should have, as the scan of an accelerator.
    """
    data = query(spark, asked)
    plan = data._jdf.queryExecution().executedPlan().toString()
    if asked["plan"] not in plan:
        raise RuntimeError(f"the plan has no {asked['plan']}: {' '.join(plan.split())}")
    (row,) = data.agg(expr("count(*)"), expr("bit_xor(xxhash64(*))")).collect()
    return {"rows": row[0], "sum": row[1]}


def run(spark: SparkSession, jvm: int, asked: dict[str, Any]) -> dict[str, float]:
    """Reads all and throws it away; returns the seconds of one read, the CPU time that of the readers.

    Others are what works beside them, but for the driver. Raises `RuntimeError` where an executor came or went.
    """
    reads, counted = asked["reads"], readers(spark, jvm)
    planner = [] if jvm in counted else [jvm]
    machine, worked, planned, start = cpu.machine_seconds(), _spent(counted), _spent(planner), time.perf_counter()
    for _ in range(reads):
        query(spark, asked).write.format("noop").mode("overwrite").save()
    wall, spent = time.perf_counter() - start, _spent(counted) - worked
    others = cpu.machine_seconds() - machine - spent - (_spent(planner) - planned)
    if readers(spark, jvm) != counted or not counted:
        raise RuntimeError(f"the executors changed: {counted} before, {readers(spark, jvm)} after")
    return {"CPU s": spent / reads, "wall s": wall / reads, "others cores": max(0.0, others / wall)}


def _spent(processes: list[int]) -> float:
    return sum(cpu.tree_seconds(process) for process in processes)


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
    spark = session(json.loads(sys.argv[1]))
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
