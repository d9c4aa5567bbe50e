package io.bowshot.spark;

import java.io.ObjectStreamException;
import java.io.Serializable;
import java.util.OptionalLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/**
 * Aggregates that files answer by their footers: one row.
 *
 * <p>Spark plans a DataFrame once, however often it is executed. So the files are looked at once more when a task is sent, as for a read of rows.
 */
record FactsScan(Facts facts) implements Batch, Scan, SupportsReportStatistics {
    boolean asks(Facts others) {
        return facts.equals(others);
    }

    @Override
    public StructType readSchema() {
        return facts.columns();
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return new InputPartition[] {new Asked(facts)};
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new Factory();
    }

    @Override
    public String description() {
        return "bowshot " + facts.look().shownAddress() + ", " + facts.described() + " from footers";
    }

    @Override
    public Statistics estimateStatistics() {
        long bytes = 8L + facts.columns().defaultSize();
        return new Statistics() {
            @Override
            public OptionalLong numRows() {
                return OptionalLong.of(1);
            }

            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(bytes);
            }
        };
    }

    /** The partition on the driver; what is sent to an executor is its row. */
    private static final class Asked implements InputPartition {
        private static final long serialVersionUID = 1L;

        private final transient Facts facts;

        Asked(Facts facts) {
            this.facts = facts;
        }

        private Object writeReplace() throws ObjectStreamException {
            Serializable known = new Known(facts.row());
            return known;
        }
    }

    /** The row. */
    private record Known(InternalRow row) implements InputPartition {
        private static final long serialVersionUID = 1L;
    }

    /** Makes readers on executors. */
    private static final class Factory implements PartitionReaderFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new Once(((Known) partition).row());
        }
    }

    /** Reads one row. */
    private static final class Once implements PartitionReader<InternalRow> {
        private final InternalRow row;
        private boolean read;

        Once(InternalRow row) {
            this.row = row;
        }

        @Override
        public boolean next() {
            boolean first = !read;
            read = true;
            return first;
        }

        @Override
        public InternalRow get() {
            return row;
        }

        @Override
        public void close() {}
    }
}
