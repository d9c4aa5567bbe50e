package io.bowshot.spark;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A query's result, a table or files, as a table of Spark's. */
final class BowshotTable implements SupportsRead {
    /** What is read; null until Spark asks for it. */
    private Look look;

    private StructType schema;
    /** What the user says, for a table that is looked at when Spark asks for its columns. */
    private final Map<String, String> options;

    BowshotTable(Look look, StructType schema) {
        this.look = look;
        this.schema = schema;
        options = Map.of();
    }

    private BowshotTable(StructType schema, Map<String, String> options) {
        this.schema = schema;
        this.options = options;
    }

    /**
     * A table with a given schema. Spark makes one for reading and for writing, and does not say for which; only for reading it asks for the
     * columns. What is to be written is not there to be looked at yet.
     */
    static BowshotTable of(StructType given, Map<String, String> options) {
        return new BowshotTable(given, options);
    }

    private synchronized Look look() {
        if (look == null) {
            look = Refused.unless(() -> {
                Look found = Look.at(Asked.of(options).withTypes(UserSchema.types(schema)));
                schema = UserSchema.chosen(schema, found.schema());
                return found;
            });
        }
        return look;
    }

    @Override
    public String name() {
        return "bowshot " + look().shownAddress();
    }

    @Override
    public StructType schema() {
        look();
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new BowshotScanBuilder(look(), schema);
    }
}
