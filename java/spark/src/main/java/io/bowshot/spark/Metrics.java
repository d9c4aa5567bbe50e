package io.bowshot.spark;

import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What a task tells of its read, on the SQL tab of Spark's page. */
public final class Metrics {
    private long bytes;
    private long batches;
    private long nanos;

    static CustomMetric[] all() {
        return new CustomMetric[] {new BytesRead(), new BatchesRead(), new ReadTime()};
    }

    void read(long bytes) {
        this.bytes += bytes;
        batches++;
    }

    void waited(long nanos) {
        this.nanos += nanos;
    }

    CustomTaskMetric[] current() {
        return new CustomTaskMetric[] {
            value("bowshotBytes", bytes), value("bowshotBatches", batches), value("bowshotTime", nanos / 1_000_000)
        };
    }

    private static CustomTaskMetric value(String name, long value) {
        return new CustomTaskMetric() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public long value() {
                return value;
            }
        };
    }

    /** The bytes of all columns, as Arrow has them. */
    public static final class BytesRead extends CustomSumMetric {
        @Override
        public String name() {
            return "bowshotBytes";
        }

        @Override
        public String description() {
            return "bytes of columns";
        }
    }

    /** Batches. */
    public static final class BatchesRead extends CustomSumMetric {
        @Override
        public String name() {
            return "bowshotBatches";
        }

        @Override
        public String description() {
            return "number of batches";
        }
    }

    /** Waiting for the source, reading and decoding. */
    public static final class ReadTime extends CustomSumMetric {
        @Override
        public String name() {
            return "bowshotTime";
        }

        @Override
        public String description() {
            return "time to read and decode in ms";
        }
    }
}
