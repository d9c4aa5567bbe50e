"""`df.write.format("bowshot")`: Parquet files, each cell compared by Spark's own reader and by pyarrow."""

from __future__ import annotations

import datetime as dt
import math
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import IntegerType, StructField, StructType
from spark.cells import assert_same, rows, table, texts, types
from spark.shared_types import SHARED, D
from spark.version import VERSION


def save(df: DataFrame, path: Path, mode: str = "errorifexists", **options: Any) -> str:
    df.write.format("bowshot").mode(mode).options(**options).save(str(path))
    return str(path)


def files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.parquet"))


def hidden(path: Path) -> list[str]:
    return [entry.name for entry in path.rglob("*") if entry.name.startswith(("_temporary", "."))]


def shared(spark: SparkSession, path: Path, names: list[str], times: int = 5) -> DataFrame:
    data = pa.table({name: pa.array(SHARED[name][1] * times, SHARED[name][0]) for name in names})
    pq.write_table(data, path)
    return spark.read.parquet(str(path))


def test_every_type_is_read_by_spark_pyarrow_and_bowshot(spark: SparkSession, tmp_path: Path) -> None:
    df = shared(spark, tmp_path / "in.parquet", list(SHARED))
    path = save(df, tmp_path / "out")
    assert_same(spark.read.parquet(path), df)
    assert_same(spark.read.format("bowshot").load(path), df)
    assert sorted(map(repr, rows(pq.read_table(path)))) == sorted(map(repr, rows(df)))


@pytest.mark.parametrize("name", SHARED)
def test_a_column_alone_is_the_same(spark: SparkSession, tmp_path: Path, name: str) -> None:
    # More rows than a batch has, so that memory is used again.
    df = shared(spark, tmp_path / "in.parquet", [name], times=7000)
    path = save(df, tmp_path / "out")
    assert_same(spark.read.parquet(path), df)
    assert sum(pq.ParquetFile(file).metadata.num_rows for file in files(tmp_path / "out")) == 21_000


def test_edges_of_numbers_and_times(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.sql(
        """SELECT * FROM VALUES
        (CAST('9999999999999999999999999999.9999999999' AS DECIMAL(38,10)), CAST('-999999999999999999' AS DECIMAL(18)),
         DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00Z', CAST('NaN' AS DOUBLE), CAST('-0.0' AS FLOAT)),
        (CAST('-9999999999999999999999999999.9999999999' AS DECIMAL(38,10)), CAST('999999999999999999' AS DECIMAL(18)),
         DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999Z', DOUBLE('-Infinity'), FLOAT('1e-45'))
        AS t(large, small, day, at, x, y)"""
    )
    path = save(df, tmp_path / "out")
    assert_same(spark.read.parquet(path), df)
    found = pq.read_table(path).sort_by("small")
    assert found["large"].to_pylist() == [D("9" * 28 + "." + "9" * 10), D("-" + "9" * 28 + "." + "9" * 10)]
    assert found["day"].to_pylist() == [dt.date(1, 1, 1), dt.date(9999, 12, 31)]
    assert math.isnan(found["x"][0].as_py())


def test_large_strings_end_batches_early(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(40).selectExpr("id", "repeat(cast(id AS STRING), 3000000) AS s")
    path = save(df.coalesce(1), tmp_path / "out")
    assert_same(spark.read.parquet(path).selectExpr("id", "md5(s) AS s"), df.selectExpr("id", "md5(s) AS s"))


def test_nested_values_of_many_rows(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(20_000).selectExpr(
        "id",
        "IF(id % 7 = 0, NULL, sequence(0, CAST(id % 5 AS INT))) AS a",
        "IF(id % 3 = 0, NULL, map(id, named_struct('s', IF(id % 2 = 0, NULL, 's'), 'b', id % 2 = 0))) AS m",
        "IF(id % 4 = 0, NULL, named_struct('l', array(array(id), NULL, array()), 'x', id)) AS n",
    )
    path = save(df, tmp_path / "out")
    expected = sorted(texts(df), key=repr)
    assert sorted(texts(spark.read.parquet(path)), key=repr) == expected
    assert sorted(texts(spark.read.format("bowshot").load(path)), key=repr) == expected


def test_modes(spark: SparkSession, tmp_path: Path) -> None:
    one, two = spark.range(3).coalesce(1), spark.range(3, 5).coalesce(1)
    out = tmp_path / "deep" / "out"
    save(one, out)
    assert (out / "_SUCCESS").exists()
    with pytest.raises(Exception, match=r"exists already\s+write with mode"):
        save(two, out)
    save(two, out, "ignore")
    assert sorted(row.id for row in spark.read.parquet(str(out)).collect()) == [0, 1, 2]
    save(two, out, "append")
    assert sorted(row.id for row in spark.read.parquet(str(out)).collect()) == [0, 1, 2, 3, 4]
    save(two, out, "overwrite")
    assert sorted(row.id for row in spark.read.parquet(str(out)).collect()) == [3, 4]
    assert len(files(out)) == 1
    assert files(out)[0].name.startswith("part-00000-")
    assert not hidden(out)
    for mode in ("append", "overwrite", "ignore"):
        save(two, tmp_path / mode, mode)
        assert spark.read.format("bowshot").load(str(tmp_path / mode)).count() == 2


def test_a_table_overwrites_itself(spark: SparkSession, tmp_path: Path) -> None:
    path = save(spark.range(100), tmp_path / "out")
    save(spark.read.format("bowshot").load(path).selectExpr("id + 1 AS id"), tmp_path / "out", "overwrite")
    assert sorted(row.id for row in spark.read.parquet(path).collect()) == list(range(1, 101))


def test_partitions_are_hive_folders(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(1000).selectExpr(
        "id",
        "CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN 'a/b c=%' WHEN 2 THEN 'ä' ELSE '' END AS `k.y`",
        "CAST(id % 3 AS INT) AS n",
        "TIMESTAMP '2024-03-10 01:30:00.5' + make_dt_interval(0, CAST(id % 2 AS INT)) AS at",
    )
    df.write.format("bowshot").partitionBy("k.y", "n", "at").save(str(tmp_path / "ours"))
    df.write.partitionBy("k.y", "n", "at").parquet(str(tmp_path / "theirs"))
    ours, theirs = (
        {str(file.parent.relative_to(tmp_path / name)) for file in files(tmp_path / name)}
        for name in ("ours", "theirs")
    )
    assert ours == theirs
    assert_same(spark.read.parquet(str(tmp_path / "ours")), spark.read.parquet(str(tmp_path / "theirs")))
    assert "n" not in pq.read_schema(files(tmp_path / "ours")[0]).names
    # An overwrite removes folders that have no rows any more.
    df.where("n = 1").write.format("bowshot").partitionBy("n").mode("overwrite").save(str(tmp_path / "ours"))
    assert {entry.name for entry in (tmp_path / "ours").iterdir()} == {"_SUCCESS", "n=1"}


def test_options_are_seen_in_the_footer(spark: SparkSession, tmp_path: Path) -> None:
    options = {
        "compression": "zstd",
        "compression_level": "9",
        "row_group_rows": "1000",
        "dictionary": "false",
        "metadata.Owner": "me",
    }
    save(spark.range(2500).coalesce(1), tmp_path / "out", **options)
    footer = pq.ParquetFile(files(tmp_path / "out")[0]).metadata
    assert [footer.row_group(i).num_rows for i in range(footer.num_row_groups)] == [1000, 1000, 500]
    column = footer.row_group(0).column(0)
    assert (column.compression, column.has_dictionary_page) == ("ZSTD", False)
    assert footer.metadata[b"Owner"] == b"me"
    assert footer.metadata[b"org.apache.spark.version"].decode().startswith(f"{VERSION[0]}.{VERSION[1]}.")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compresion": "zstd"}, r'without an option "compresion"'),
        ({"row_group_rows": "many"}, r'row_group_rows is "many"'),
        ({"compression": "zip"}, "zip"),
    ],
)
def test_wrong_options_are_errors_and_leave_nothing(
    spark: SparkSession, tmp_path: Path, options: dict[str, str], words: str
) -> None:
    with pytest.raises(Exception, match=words):
        save(spark.range(3), tmp_path / "a" / "out", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT NULL AS v", 'column "v" holds void'),
        ("SELECT named_struct('x', array(make_interval(1))) AS v", "(?i)interval"),
        ("SELECT 1 AS a, 2 AS a", 'two columns are called "a"'),
    ],
)
def test_what_parquet_has_not_is_refused(spark: SparkSession, tmp_path: Path, sql: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        save(spark.sql(sql), tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_variants_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    if VERSION < (4, 0):
        # There are none yet; a type is refused by its name all the same.
        sql, words = "SELECT NULL AS v", 'column "v" holds void'
    else:
        sql, words = "SELECT parse_json('1') AS v", 'column "v" holds variant'
    with pytest.raises(Exception, match=words):
        save(spark.sql(sql), tmp_path / "out")


def test_no_rows_and_no_columns(spark: SparkSession, tmp_path: Path) -> None:
    empty = spark.range(3).where("id > 7")
    path = save(empty, tmp_path / "out")
    assert len(files(tmp_path / "out")) == 1
    assert_same(spark.read.parquet(path), empty)
    none = spark.createDataFrame([], StructType([StructField("x", IntegerType())]))
    assert_same(spark.read.parquet(save(none, tmp_path / "none")), none)
    with pytest.raises(Exception, match="no tables without columns"):
        save(spark.range(3).select(), tmp_path / "columns")
    with pytest.raises(Exception, match="all columns are partition columns"):
        spark.range(3).write.format("bowshot").partitionBy("id").save(str(tmp_path / "all"))
    with pytest.raises(Exception, match='partitionBy names the column "no"'):
        spark.range(3).write.format("bowshot").partitionBy("no").save(str(tmp_path / "all"))


@pytest.mark.parametrize("mode", ["errorifexists", "append", "overwrite"])
def test_a_task_that_fails_leaves_what_was_there(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    out = tmp_path / "out"
    if mode != "errorifexists":
        save(spark.range(3), out)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    failing = spark.range(100_000).selectExpr("IF(id = 99999, raise_error('no such luck'), id) AS id")
    with pytest.raises(Exception, match="no such luck"):
        save(failing, out, mode)
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    assert out.exists() == bool(before)


def test_a_cancelled_job_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    out, errors = tmp_path / "out", []
    endless = spark.range(0, 400_000, 1, 2).crossJoin(spark.range(1_000_000).selectExpr("id AS other"))

    def run() -> None:
        spark.sparkContext.setJobGroup("write", "write", True)
        try:
            save(endless, out)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    for _ in range(300):
        if out.exists() and any(out.rglob("*.partial")):
            break
        time.sleep(0.1)
    spark.sparkContext.cancelAllJobs()
    thread.join(60)
    assert errors
    assert not thread.is_alive()
    for _ in range(100):
        if not out.exists():
            break
        time.sleep(0.1)
    assert not out.exists()


def test_paths(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(2).write.format("bowshot").save((tmp_path / "a b").as_uri())
    assert spark.read.parquet(str(tmp_path / "a b")).count() == 2
    with pytest.raises(Exception, match="writes to local paths, and s3:// is none"):
        spark.range(2).write.format("bowshot").mode("append").save("s3://bucket/out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(Exception, match="is a file"):
        save(spark.range(2), tmp_path / "file", "overwrite")
    assert (tmp_path / "file").read_text() == "x"


def test_texts_that_are_not_utf8_are_errors(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.sql("SELECT CAST(X'ff41' AS STRING) AS s")
    with pytest.raises(Exception, match=r'column "s".*not UTF-8'):
        save(df, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_schema_for_reading_still_is_checked_at_once(spark: SparkSession, tmp_path: Path) -> None:
    path = save(spark.range(3), tmp_path / "out")
    assert types(spark.read.schema("id BIGINT").format("bowshot").load(path)) == {"id": "bigint"}
    with pytest.raises(Exception, match='names a column "x" that is not'):
        spark.read.schema("x BIGINT").format("bowshot").load(path)
    with pytest.raises(Exception, match=r"(?i)no such file|does not exist|not found|no file"):
        spark.read.schema("id BIGINT").format("bowshot").load(str(tmp_path / "missing"))


def test_other_columns_sort_by_expressions(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(50).select(f.col("id").alias("a`b"), (f.col("id") % 2).alias("p`q"))
    df.write.format("bowshot").partitionBy("`p``q`").save(str(tmp_path / "out"))
    assert table(spark.read.parquet(str(tmp_path / "out"))).num_rows == 50
