package io.bowshot.spark;

import java.util.OptionalLong;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A read as Spark's planner has it. */
final class BowshotScan implements Batch, Scan, SupportsReportStatistics {
    private final Look look;
    private final StructType columns;
    private final PlannedRead read;
    private final Predicate[] pushed;
    private final int limit;

    BowshotScan(Look look, StructType columns, PlannedRead read, Predicate[] pushed, int limit) {
        this.look = look;
        this.columns = columns;
        this.read = read;
        this.pushed = pushed;
        this.limit = limit;
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return read.partitions();
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new BowshotReaderFactory(look.address(), columns);
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.SUPPORTED;
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("bowshot ").append(look.shownAddress());
        if (pushed.length > 0) {
            text.append(", filters ").append(java.util.Arrays.toString(pushed));
        }
        if (limit >= 0) {
            text.append(", limit ").append(limit);
        }
        return text.append(read.described()).toString();
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return Metrics.all();
    }

    @Override
    public Statistics estimateStatistics() {
        OptionalLong known = look.rows();
        OptionalLong rows =
                known.isPresent() && limit >= 0 ? OptionalLong.of(Math.min(known.getAsLong(), limit)) : known;
        return new Statistics() {
            @Override
            public OptionalLong numRows() {
                return rows;
            }

            @Override
            public OptionalLong sizeInBytes() {
                return rows.isPresent()
                        ? OptionalLong.of(Math.multiplyExact(Math.min(rows.getAsLong(), 1L << 40), width()))
                        : share();
            }
        };
    }

    /** About how many bytes a row has in Spark. */
    private long width() {
        long width = 8;
        for (StructField field : columns.fields()) {
            width += field.dataType().defaultSize();
        }
        return width;
    }

    private OptionalLong share() {
        OptionalLong bytes = look.bytes();
        int all = Math.max(look.schema().size(), 1);
        return bytes.isPresent() ? OptionalLong.of(bytes.getAsLong() / all * Math.max(columns.size(), 1)) : bytes;
    }
}
