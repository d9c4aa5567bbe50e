package io.bowshot.spark;

import io.bowshot.border.Texts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A read as Spark's planner has it. */
final class BowshotScan implements Batch, Scan, SupportsReportStatistics, SupportsRuntimeV2Filtering {
    private final Look look;
    private final StructType columns;
    private final int limit;
    private List<Predicate> pushed;
    private PlannedRead read;

    BowshotScan(Look look, StructType columns, List<Predicate> pushed, int limit) {
        this.look = look;
        this.columns = columns;
        this.pushed = pushed;
        this.limit = limit;
        read = look.read(wish());
    }

    /** What Spark needs, in the words of the native library. */
    private Texts wish() {
        Texts wish = new Texts().add(limit < 0 ? "" : Integer.toString(limit)).add(columns.size());
        for (String name : columns.fieldNames()) {
            wish.add(name);
        }
        wish.add(pushed.size());
        for (Predicate predicate : pushed) {
            Filters.write(predicate, wish);
        }
        return wish;
    }

    /** Columns by which a join may leave out files while it runs: those of folders. */
    @Override
    public NamedReference[] filterAttributes() {
        return look.columns().stream()
                .filter(column -> column.ofFolders()
                        && Arrays.asList(columns.fieldNames()).contains(column.name()))
                .map(column -> Expressions.column(column.name()))
                .toArray(NamedReference[]::new);
    }

    @Override
    public void filter(Predicate[] predicates) {
        List<Predicate> all = new ArrayList<>(pushed);
        for (Predicate predicate : predicates) {
            if (Filters.isKnown(predicate)) {
                all.add(predicate);
            }
        }
        pushed = all;
        read = look.read(wish());
    }

    /** Equal scans read the same, once where Spark sees that. */
    @Override
    public boolean equals(Object other) {
        return other instanceof BowshotScan scan && scan.read == read;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(read);
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
        if (!pushed.isEmpty()) {
            text.append(", filters ").append(pushed);
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
