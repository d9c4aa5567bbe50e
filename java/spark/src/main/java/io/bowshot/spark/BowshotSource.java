package io.bowshot.spark;

import io.bowshot.spark.write.Saving;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The format {@code bowshot}: {@code spark.read.format("bowshot").option("query", "SELECT …").load("postgresql://db/shop")}, and
 * {@code df.write.format("bowshot").save("lake/orders")}.
 */
public final class BowshotSource implements TableProvider, CreatableRelationProvider, DataSourceRegister {
    /** What {@link #inferSchema} found; null where the user gives a schema. */
    private Look look;

    @Override
    public String shortName() {
        return "bowshot";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        look = Refused.unless(() -> Look.at(Asked.of(options.asCaseSensitiveMap())));
        return look.schema();
    }

    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        if (look != null && look.schema().equals(schema)) {
            return new BowshotTable(look, schema);
        }
        return BowshotTable.of(schema, properties);
    }

    /** Writes Parquet files. Spark comes here because the table cannot be written to by itself: only so it leaves all modes to the source. */
    @Override
    public BaseRelation createRelation(
            SQLContext context,
            SaveMode mode,
            scala.collection.immutable.Map<String, String> options,
            Dataset<Row> data) {
        return Refused.unless(() -> {
            Saving.save(data, mode, options);
            return new Saved(context, data.schema());
        });
    }

    /** Whether a type can be written is said with its column's name, where the file is made. */
    public boolean supportsDataType(DataType type) {
        return true;
    }

    /** What Spark is told was written; it only looks at the schema. */
    private static final class Saved extends BaseRelation {
        private final SQLContext context;
        private final StructType schema;

        Saved(SQLContext context, StructType schema) {
            this.context = context;
            this.schema = schema;
        }

        @Override
        public SQLContext sqlContext() {
            return context;
        }

        @Override
        public StructType schema() {
            return schema;
        }
    }
}
