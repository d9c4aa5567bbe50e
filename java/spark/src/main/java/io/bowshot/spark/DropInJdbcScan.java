package io.bowshot.spark;

import io.bowshot.spark.DropInFile.Left;
import io.bowshot.spark.DropInJdbcTimes.Kind;
import io.bowshot.spark.vectors.Vectors;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Bowshot's scan of a query, with the types and the dates and times of Spark's JDBC source. */
final class DropInJdbcScan implements Scan, Batch {
    private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar", "name", "uuid", "json", "jsonb");

    private final BowshotScan scan;
    private final StructType columns;
    private final Factory factory;

    private DropInJdbcScan(BowshotScan scan, StructType columns, Factory factory) {
        this.scan = scan;
        this.columns = columns;
        this.factory = factory;
    }

    /**
     * The scan of what was looked at.
     *
     * @param needed the columns as Spark has them, in the same order
     * @throws Left where a column may become something else
     */
    static DropInJdbcScan of(Look look, List<AttributeReference> needed) throws Left {
        Kind[] kinds = new Kind[needed.size()];
        StructField[] fields = new StructField[needed.size()];
        for (int i = 0; i < kinds.length; i++) {
            AttributeReference wanted = needed.get(i);
            Column found = look.columns().get(i);
            kinds[i] = kind(found, wanted.dataType());
            if (kinds[i] == null || !found.name().equals(wanted.name())) {
                throw new Left("the column \"" + wanted.name() + "\" is " + found.source() + ", read as "
                        + wanted.dataType().simpleString());
            }
            fields[i] = new StructField(wanted.name(), wanted.dataType(), wanted.nullable(), wanted.metadata());
        }
        StructType read = needed.isEmpty() ? new StructType() : look.schema();
        Factory factory = new Factory(look.address(), DropInJdbcAddress.zone(), read, kinds);
        return new DropInJdbcScan(new BowshotScan(look, read, List.of(), -1), new StructType(fields), factory);
    }

    /** How values of a column become Spark's; null where that is not known. */
    private static Kind kind(Column found, DataType wanted) {
        String format = found.format();
        String source = found.source();
        if (source.equals("timestamp") && format.equals("tsu:")) {
            return wanted.equals(DataTypes.TimestampType)
                    ? Kind.LOCAL_AS_INSTANT
                    : wanted.equals(DataTypes.TimestampNTZType) ? Kind.LOCAL : null;
        }
        if (!found.type().equals(wanted)) {
            return null;
        }
        boolean same = switch (source) {
            case "bool", "int2", "int4", "int8", "float4", "float8", "bytea" -> true;
            // Numbers without a scale are decimal(38,18) to Spark, which rounds them.
            case "numeric" ->
                wanted instanceof DecimalType decimal
                        && format.equals("d:" + decimal.precision() + "," + decimal.scale())
                        && decimal.scale() >= 0;
            default -> TEXTS.contains(source);
        };
        return same ? Kind.NONE : source.equals("date") ? Kind.DAY : source.equals("timestamptz") ? Kind.INSTANT : null;
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
        return scan.planInputPartitions();
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return factory;
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return scan.columnarSupportMode();
    }

    @Override
    public String description() {
        return scan.description();
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return scan.supportedCustomMetrics();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DropInJdbcScan jdbc && jdbc.scan.equals(scan) && jdbc.columns.equals(columns);
    }

    @Override
    public int hashCode() {
        return scan.hashCode();
    }

    /** Makes readers on executors. It is no record: those show what they hold, and the address may hold a password. */
    private static final class Factory implements PartitionReaderFactory {
        private static final long serialVersionUID = 1L;

        private final String address;
        /** That of the driver's JVM, which the address names. */
        private final String zone;

        private final StructType columns;
        private final Kind[] kinds;

        Factory(String address, String zone, StructType columns, Kind[] kinds) {
            this.address = address;
            this.zone = zone;
            this.columns = columns;
            this.kinds = kinds;
        }

        private PartitionReaderFactory here() {
            return new BowshotReaderFactory(DropInJdbcAddress.inThisZone(address, zone), columns);
        }

        @Override
        public boolean supportColumnarReads(InputPartition partition) {
            return true;
        }

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return here().createReader(partition);
        }

        @Override
        public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
            return new Reader(here().createColumnarReader(partition), kinds);
        }
    }

    private static final class Reader implements PartitionReader<ColumnarBatch> {
        private final PartitionReader<ColumnarBatch> reader;
        /** For each column; null where values stay as they are. */
        private final DropInJdbcTimes[] times;

        Reader(PartitionReader<ColumnarBatch> reader, Kind[] kinds) {
            this.reader = reader;
            times = Arrays.stream(kinds)
                    .map(kind -> kind == Kind.NONE ? null : new DropInJdbcTimes(kind))
                    .toArray(DropInJdbcTimes[]::new);
        }

        @Override
        public boolean next() throws IOException {
            return reader.next();
        }

        @Override
        public ColumnarBatch get() {
            ColumnarBatch found = reader.get();
            ColumnVector[] all = new ColumnVector[times.length];
            for (int i = 0; i < all.length; i++) {
                DropInJdbcTimes time = times[i];
                all[i] = time == null
                        ? found.column(i)
                        : Vectors.converted(found.column(i), time.type(), time::days, time::micros);
            }
            return new ColumnarBatch(all, found.numRows());
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            return reader.currentMetricsValues();
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
