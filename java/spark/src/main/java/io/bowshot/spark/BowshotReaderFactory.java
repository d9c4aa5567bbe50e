package io.bowshot.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes readers on executors. */
final class BowshotReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    private final String address;
    private final StructType columns;

    BowshotReaderFactory(String address, StructType columns) {
        this.address = address;
        this.columns = columns;
    }

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return true;
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        return new BowshotReader(address, (Tickets) partition, columns);
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        throw new UnsupportedOperationException("Bowshot reads columns");
    }
}
