package io.bowshot.spark;

import io.bowshot.BowshotException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * A column of an ArrowSchema, read where it lies.
 *
 * @param name its name
 * @param format its layout, in the words of the <a href="https://arrow.apache.org/docs/format/CDataInterface.html">C Data Interface</a>
 * @param extension the name of what its values mean beyond that, or an empty text
 * @param source what the source calls its type, or an empty text
 * @param nullable whether it may hold NULL
 * @param children the columns inside of it
 * @param dictionary of what its values are numbers; null where they are values
 * @param type as Spark sees it
 */
public record Column(
        String name,
        String format,
        String extension,
        String source,
        boolean nullable,
        List<Column> children,
        Column dictionary,
        DataType type) {
    private static final int NULLABLE = 2;
    private static final int DEEPEST = 64;

    /** The columns of the struct at an address. */
    static List<Column> columns(long schema) {
        return children(schema, "", 0);
    }

    /** Whether its values stand in the names of folders. */
    boolean ofFolders() {
        return source.equals("folder");
    }

    /** The same, as Spark's schema. */
    static StructType struct(List<Column> columns) {
        return new StructType(columns.stream()
                .map(column -> new StructField(column.name, column.type, column.nullable, Metadata.empty()))
                .toArray(StructField[]::new));
    }

    private static List<Column> children(long schema, String within, int depth) {
        long count = Platform.getLong(null, schema + 32);
        long addresses = Platform.getLong(null, schema + 40);
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            columns.add(column(Platform.getLong(null, addresses + 8L * i), within, depth));
        }
        return columns;
    }

    private static Column column(long at, String within, int depth) {
        String name = text(Platform.getLong(null, at + 8));
        String path = within.isEmpty() ? name : within + "." + name;
        if (depth > DEEPEST) {
            throw new BowshotException(
                    BowshotException.Kind.UNSUPPORTED, "the column \"" + path + "\" is nested too deeply", path, "");
        }
        String format = text(Platform.getLong(null, at));
        boolean nullable = (Platform.getLong(null, at + 24) & NULLABLE) != 0;
        List<Column> children = children(at, path, depth + 1);
        long dictionary = Platform.getLong(null, at + 48);
        Column values = dictionary == 0 ? null : column(dictionary, path, depth + 1);
        long metadata = Platform.getLong(null, at + 16);
        String extension = metadata(metadata, "ARROW:extension:name");
        String source = metadata(metadata, "bowshot.type");
        DataType type = values == null ? type(format, extension, children, path) : values.type;
        return new Column(name, format, extension, source, nullable, children, values, type);
    }

    private static DataType type(String format, String extension, List<Column> children, String path) {
        switch (format.charAt(0)) {
            case 'n':
                return DataTypes.NullType;
            case 'b':
                return DataTypes.BooleanType;
            case 'c':
                return DataTypes.ByteType;
            case 'C', 's':
                return DataTypes.ShortType;
            case 'S', 'i':
                return DataTypes.IntegerType;
            case 'I', 'l':
                return DataTypes.LongType;
            case 'L':
                return DataTypes.createDecimalType(20, 0);
            case 'e', 'f':
                return DataTypes.FloatType;
            case 'g':
                return DataTypes.DoubleType;
            case 'u', 'U':
                return DataTypes.StringType;
            case 'z', 'Z':
                return DataTypes.BinaryType;
            case 'w':
                return extension.equals("arrow.uuid") ? DataTypes.StringType : DataTypes.BinaryType;
            case 'v':
                return format.equals("vu") ? DataTypes.StringType : DataTypes.BinaryType;
            case 'd':
                return decimal(format);
            case 't':
                return time(format, path);
            case '+':
                return nested(format, children, path);
            default:
                throw unsupported(format, path);
        }
    }

    /** What Spark has no room for has 18 digits behind the point, as its JDBC source reads numbers of any length. */
    private static DataType decimal(String format) {
        String[] parts = format.substring(2).split(",");
        int precision = Integer.parseInt(parts[0]);
        int scale = Integer.parseInt(parts[1]);
        if (scale < 0) {
            precision -= scale;
            scale = 0;
        }
        return precision <= DecimalType.MAX_PRECISION()
                ? DataTypes.createDecimalType(precision, scale)
                : DataTypes.createDecimalType(DecimalType.MAX_PRECISION(), Math.min(scale, 18));
    }

    private static DataType time(String format, String path) {
        if (format.startsWith("td")) {
            return DataTypes.DateType;
        }
        if (format.startsWith("ts")) {
            return format.length() == 4 ? DataTypes.TimestampNTZType : DataTypes.TimestampType;
        }
        // Times of a day, and intervals of months, days and nanoseconds, are texts.
        return switch (format) {
            case "tts", "ttm", "ttu", "ttn", "tin", "tiD" -> DataTypes.StringType;
            case "tDs", "tDm", "tDu", "tDn" -> DataTypes.createDayTimeIntervalType();
            case "tiM" -> DataTypes.createYearMonthIntervalType();
            default -> throw unsupported(format, path);
        };
    }

    private static DataType nested(String format, List<Column> children, String path) {
        switch (format) {
            case "+s":
                return struct(children);
            case "+m":
                Column entries = children.get(0);
                Column value = entries.children.get(1);
                return DataTypes.createMapType(entries.children.get(0).type, value.type, value.nullable);
            case "+r":
                return children.get(1).type;
            case "+l", "+L", "+vl", "+vL":
                return DataTypes.createArrayType(children.get(0).type, children.get(0).nullable);
            default:
                if (format.startsWith("+w:")) {
                    return DataTypes.createArrayType(children.get(0).type, children.get(0).nullable);
                }
                throw unsupported(format, path);
        }
    }

    private static BowshotException unsupported(String format, String path) {
        String what = format.startsWith("+u") ? "a union of types" : "Arrow's layout " + format;
        String message = "the column \"" + path + "\" is " + what + ", which Spark has no type for\n"
                + "  leave it out: .option(\"query\", \"SELECT …\"), or read it as text: .option(\"types." + path
                + "\", \"utf8\")";
        return new BowshotException(BowshotException.Kind.UNSUPPORTED, message, path, "");
    }

    /** The metadata's value of a key, or an empty text. */
    private static String metadata(long metadata, String key) {
        if (metadata == 0) {
            return "";
        }
        int pairs = Platform.getInt(null, metadata);
        long at = metadata + 4;
        String[] pair = new String[2];
        for (int i = 0; i < pairs; i++) {
            for (int part = 0; part < 2; part++) {
                int length = Platform.getInt(null, at);
                pair[part] = text(at + 4, length);
                at += 4 + length;
            }
            if (pair[0].equals(key)) {
                return pair[1];
            }
        }
        return "";
    }

    private static String text(long at) {
        if (at == 0) {
            return "";
        }
        int length = 0;
        while (Platform.getByte(null, at + length) != 0) {
            length++;
        }
        return text(at, length);
    }

    private static String text(long at, int length) {
        byte[] bytes = new byte[length];
        Platform.copyMemory(null, at, bytes, Platform.BYTE_ARRAY_OFFSET, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
