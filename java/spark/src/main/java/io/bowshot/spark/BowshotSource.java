package io.bowshot.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The format {@code bowshot}: {@code spark.read.format("bowshot").option("query", "SELECT …").load("postgresql://db/shop")}. */
public final class BowshotSource implements TableProvider, DataSourceRegister {
    /** What {@link #inferSchema} found; null where the user gives a schema. */
    private Look look;

    @Override
    public String shortName() {
        return "bowshot";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        look = Look.at(Asked.of(options.asCaseSensitiveMap()));
        return look.schema();
    }

    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        Asked asked = Asked.of(properties);
        if (look != null && look.schema().equals(schema)) {
            return new BowshotTable(asked, look, schema);
        }
        Asked typed = asked.withTypes(UserSchema.types(schema));
        Look look = Look.at(typed);
        return new BowshotTable(typed, look, UserSchema.chosen(schema, look.schema()));
    }
}
