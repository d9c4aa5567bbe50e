package io.bowshot.spark;

import io.bowshot.BowshotException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The schema that a program gives: {@code spark.read.schema("id LONG, price DECIMAL(9, 2)")}. */
final class UserSchema {
    private UserSchema() {}

    /** The types of its columns in Bowshot's words; those that have others inside are left to the source. */
    static Map<String, String> types(StructType schema) {
        Map<String, String> types = new LinkedHashMap<>();
        for (StructField field : schema.fields()) {
            String type = type(field.dataType());
            if (!type.isEmpty()) {
                types.put(field.name(), type);
            }
        }
        return types;
    }

    private static String type(DataType type) {
        if (type instanceof DecimalType decimal) {
            return "decimal128(" + decimal.precision() + ", " + decimal.scale() + ")";
        }
        Map<DataType, String> plain = Map.ofEntries(
                Map.entry(DataTypes.BooleanType, "bool"),
                Map.entry(DataTypes.ByteType, "int8"),
                Map.entry(DataTypes.ShortType, "int16"),
                Map.entry(DataTypes.IntegerType, "int32"),
                Map.entry(DataTypes.LongType, "int64"),
                Map.entry(DataTypes.FloatType, "float32"),
                Map.entry(DataTypes.DoubleType, "float64"),
                Map.entry(DataTypes.StringType, "utf8"),
                Map.entry(DataTypes.BinaryType, "binary"),
                Map.entry(DataTypes.DateType, "date32"),
                Map.entry(DataTypes.TimestampType, "timestamp[us, UTC]"),
                Map.entry(DataTypes.TimestampNTZType, "timestamp[us]"));
        return plain.getOrDefault(type, "");
    }

    /**
     * The given columns, if the source has them so.
     *
     * @throws BowshotException of kind CONFIG for a column that it has not, or of another type
     */
    static StructType chosen(StructType given, StructType found) {
        for (StructField field : given.fields()) {
            StructField there = null;
            for (StructField candidate : found.fields()) {
                there = candidate.name().equals(field.name()) ? candidate : there;
            }
            String problem = there == null
                    ? "which the source does not have; its columns are " + String.join(", ", found.fieldNames())
                    : there.dataType().equals(field.dataType())
                            ? ""
                            : "as " + field.dataType().simpleString() + ", and it is "
                                    + there.dataType().simpleString() + " there";
            if (!problem.isEmpty()) {
                String message = "the schema names the column \"" + field.name() + "\", " + problem;
                throw new BowshotException(BowshotException.Kind.CONFIG, message, field.name(), "");
            }
        }
        return given;
    }
}
