package io.bowshot.spark.write;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.types.StructType;

/** A write whose rows come sorted by folder: a task has one file open at a time. */
final class ParquetWrite implements RequiresDistributionAndOrdering {
    private final Target target;
    private final StructType schema;
    private final List<String> partitions;
    private final boolean isOverwrite;

    ParquetWrite(Target target, StructType schema, List<String> partitions, boolean isOverwrite) {
        this.target = target;
        this.schema = schema;
        this.partitions = partitions;
        this.isOverwrite = isOverwrite;
    }

    @Override
    public Distribution requiredDistribution() {
        return Distributions.unspecified();
    }

    @Override
    public SortOrder[] requiredOrdering() {
        SortOrder[] order = new SortOrder[partitions.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = Expressions.sort(Expressions.column(WriteSource.PARTITION + i), SortDirection.ASCENDING);
        }
        return order;
    }

    @Override
    public String description() {
        return "bowshot " + target.folder();
    }

    @Override
    public BatchWrite toBatch() {
        int columns = schema.fields().length - partitions.size();
        StructType files = new StructType(Arrays.copyOf(schema.fields(), columns));
        return new ParquetJob(target, files, partitions, isOverwrite);
    }
}
