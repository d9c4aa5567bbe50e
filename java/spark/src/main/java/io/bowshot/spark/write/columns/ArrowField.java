package io.bowshot.spark.write.columns;

import io.bowshot.BowshotException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.UserDefinedType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.Platform;

/**
 * A column of Spark's as Arrow has it.
 *
 * @param column the column of the table, which errors name
 * @param name its own name, or the one that Parquet gives to what lies inside of a column
 * @param type Spark's type; of user-defined types the one that they are stored as
 * @param format Arrow's, as in the C Data Interface
 * @param isNullable false for the keys of maps alone
 * @param children what lies inside of it
 */
record ArrowField(
        String column, String name, DataType type, String format, boolean isNullable, List<ArrowField> children) {

    /**
     * The columns of a schema, as fields of one struct.
     *
     * @throws BowshotException of kind UNSUPPORTED for a type that Parquet has not; it names the column
     */
    static ArrowField of(StructType schema) {
        List<ArrowField> children = new ArrayList<>();
        for (StructField field : schema.fields()) {
            children.add(of(field.name(), field.name(), field.dataType(), true));
        }
        return new ArrowField("", "", schema, "+s", false, children);
    }

    private static ArrowField of(String column, String name, DataType type, boolean isNullable) {
        if (type instanceof UserDefinedType<?> user) {
            return of(column, name, user.sqlType(), isNullable);
        }
        List<ArrowField> children = new ArrayList<>();
        if (type instanceof StructType struct) {
            for (StructField field : struct.fields()) {
                children.add(of(column, field.name(), field.dataType(), true));
            }
            if (children.isEmpty()) {
                throw refused(column, type, "Parquet has no structs without fields");
            }
        } else if (type instanceof ArrayType array) {
            children.add(of(column, "element", array.elementType(), true));
        } else if (type instanceof MapType map) {
            List<ArrowField> entries =
                    List.of(of(column, "key", map.keyType(), false), of(column, "value", map.valueType(), true));
            children.add(new ArrowField(column, "key_value", null, "+s", false, entries));
        }
        return new ArrowField(column, name, type, format(column, type), isNullable, children);
    }

    private static String format(String column, DataType type) {
        if (type instanceof BooleanType) {
            return "b";
        } else if (type instanceof ByteType) {
            return "c";
        } else if (type instanceof ShortType) {
            return "s";
        } else if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
            return "i";
        } else if (type instanceof LongType) {
            return "l";
        } else if (type instanceof FloatType) {
            return "f";
        } else if (type instanceof DoubleType) {
            return "g";
        } else if (type instanceof DecimalType decimal) {
            return "d:" + decimal.precision() + "," + decimal.scale();
        } else if (type instanceof StringType) {
            return "u";
        } else if (type instanceof BinaryType) {
            return "z";
        } else if (type instanceof DateType) {
            return "tdD";
        } else if (type instanceof TimestampType) {
            return "tsu:UTC";
        } else if (type instanceof TimestampNTZType) {
            return "tsu:";
        } else if (type instanceof DayTimeIntervalType) {
            return "tDu";
        } else if (type instanceof StructType) {
            return "+s";
        } else if (type instanceof ArrayType) {
            return "+l";
        } else if (type instanceof MapType) {
            return "+m";
        }
        throw refused(column, type, "Bowshot writes no such type as Parquet");
    }

    private static BowshotException refused(String column, DataType type, String why) {
        String message = "column \"" + column + "\" holds " + type.simpleString() + ": " + why
                + "\n  cast it to another type, such as string, or drop it";
        return new BowshotException(BowshotException.Kind.UNSUPPORTED, message, column, "");
    }

    /** An empty column of this type. */
    ColumnBuilder builder() {
        List<ColumnBuilder> inner = children.stream().map(ArrowField::builder).toList();
        return switch (format.charAt(0)) {
            case 'b' -> new Bits();
            case 'c' -> new Fixed(1, (row, i, at) -> Platform.putByte(null, at, row.getByte(i)));
            case 's' -> new Fixed(2, (row, i, at) -> Platform.putShort(null, at, row.getShort(i)));
            case 'i' -> ofInts();
            case 'l' -> ofLongs();
            case 'f' -> new Fixed(4, (row, i, at) -> Platform.putFloat(null, at, row.getFloat(i)));
            case 'g' -> new Fixed(8, (row, i, at) -> Platform.putDouble(null, at, row.getDouble(i)));
            case 'd' -> Fixed.decimal(((DecimalType) type).precision(), ((DecimalType) type).scale());
            case 't' -> type instanceof DateType ? ofInts() : ofLongs();
            case 'u' -> new Bytes(column, true);
            case 'z' -> new Bytes(column, false);
            default ->
                format.equals("+s")
                        ? new Nested.Struct(inner)
                        : new Nested.Lists(column, inner.get(0), format.equals("+m"));
        };
    }

    private static ColumnBuilder ofInts() {
        return new Fixed(4, (row, i, at) -> Platform.putInt(null, at, row.getInt(i)));
    }

    private static ColumnBuilder ofLongs() {
        return new Fixed(8, (row, i, at) -> Platform.putLong(null, at, row.getLong(i)));
    }
}
