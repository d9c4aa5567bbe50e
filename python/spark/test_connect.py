"""Spark Connect: the client has no JVM, and reads files, a database and a catalog through the server's jar."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from spark.conftest import jars

PROGRAM = """
import json, sys
from pyspark.sql import SparkSession

arguments = json.loads(sys.argv[1])
builder = SparkSession.builder.remote("local[2]")
for name, value in arguments["settings"].items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
found = {"session": type(spark).__module__}

def read(**options):
    return spark.read.format("bowshot").options(**options)

def error(df):
    try:
        df.collect()
    except Exception as error:
        return str(error)

query = "SELECT n::int8 AS id, n * 1.5 AS price FROM generate_series(1, 4) n"
found["file"] = [list(row) for row in read().load(arguments["file"]).orderBy("a").collect()]
few = read(query=query).load(arguments["uri"]).where("id > 2").orderBy("id")
found["database"] = [[row.id, str(row.price)] for row in few.collect()]
found["types"] = read(query="SELECT 1::int2 AS a, 'x' AS b").load(arguments["uri"]).dtypes
found["catalog"] = spark.sql("SELECT count(*) FROM shop.pg_catalog.pg_am WHERE amname = 'btree'").collect()[0][0]
found["arrow"] = read().load(arguments["file"]).toArrow().num_rows
found["no table"] = error(read(query="SELECT * FROM nothing").load(arguments["uri"]))
found["while read"] = error(read(query="SELECT 1 / (n - 3) AS x FROM generate_series(1, 4) n").load(arguments["uri"]))
found["option"] = error(read(colour="red").load(arguments["uri"]))
spark.stop()
print("found", json.dumps(found))
"""


def test_files_databases_and_catalogs_are_read_by_a_client(postgres: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]}), tmp_path / "x.parquet")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    settings = {
        "spark.driver.memory": "1g",
        "spark.jars": ",".join(map(str, jars())),
        "spark.local.dir": str(tmp_path / "local"),
        "spark.sql.catalog.shop": "io.bowshot.spark.BowshotCatalog",
        "spark.sql.catalog.shop.url": postgres,
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.ui.enabled": "false",
    }
    arguments = {"settings": settings, "file": str(tmp_path / "x.parquet"), "uri": postgres}
    # A test's own Spark names its gateway to its children.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK_", "SPARK_"))}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    line = [sys.executable, str(program), json.dumps(arguments)]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=120)
    told = [line for line in done.stdout.splitlines() if line.startswith("found ")]
    assert told, done.stderr[-5000:]
    found = json.loads(told[0].removeprefix("found "))
    assert found["session"].startswith("pyspark.sql.connect")
    assert found["file"] == [[1, "x"], [2, None], [3, "z"]]
    assert [(number, float(price)) for number, price in found["database"]] == [(3, 4.5), (4, 6.0)]
    assert found["types"] == [["a", "smallint"], ["b", "string"]]
    assert found["catalog"] == 1
    assert found["arrow"] == 3
    assert 'relation "nothing" does not exist' in found["no table"]
    assert "division by zero" in found["while read"]
    assert 'Bowshot has no option "colour"' in found["option"]
