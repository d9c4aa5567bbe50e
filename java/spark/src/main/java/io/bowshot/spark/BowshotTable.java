package io.bowshot.spark;

import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A query's result, a table or files, as a table of Spark's. */
final class BowshotTable implements SupportsRead {
    private final Asked asked;
    private final Look look;
    private final StructType schema;

    BowshotTable(Asked asked, Look look, StructType schema) {
        this.asked = asked;
        this.look = look;
        this.schema = schema;
    }

    @Override
    public String name() {
        return "bowshot " + look.shownAddress();
    }

    @Override
    public StructType schema() {
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new BowshotScanBuilder(look, schema);
    }
}
