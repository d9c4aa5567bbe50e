package io.bowshot.spark;

import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;

/** Types of Parquet that mean the same to Bowshot as to Spark, whatever Spark's options are. */
final class SameTypes {
    private SameTypes() {}

    /** Why a column of a file may not be what Spark makes of it as a type of its own; nothing where it is just that. */
    static String obstacle(Type found, DataType wanted) {
        if (found.isRepetition(Type.Repetition.REPEATED)) {
            return "is a list in the way of old files";
        }
        if (found.isPrimitive()) {
            DataType same = plain(found.asPrimitiveType());
            return wanted.equals(same)
                    ? ""
                    : "is " + described(found.asPrimitiveType()) + ", read as " + wanted.simpleString();
        }
        GroupType group = found.asGroupType();
        LogicalTypeAnnotation annotation = group.getLogicalTypeAnnotation();
        if (annotation == null && wanted instanceof StructType struct) {
            return struct(group, struct);
        }
        if (annotation instanceof ListLogicalTypeAnnotation && wanted instanceof ArrayType array) {
            return list(group, array);
        }
        if (annotation instanceof MapLogicalTypeAnnotation && wanted instanceof MapType map) {
            return map(group, map);
        }
        return "is a group of columns, read as " + wanted.simpleString();
    }

    /** Whether there are days in it, or instants, which calendars count. */
    static boolean holdsDays(DataType type) {
        if (type instanceof StructType struct) {
            for (StructField field : struct.fields()) {
                if (holdsDays(field.dataType())) {
                    return true;
                }
            }
            return false;
        }
        if (type instanceof ArrayType array) {
            return holdsDays(array.elementType());
        }
        if (type instanceof MapType map) {
            return holdsDays(map.keyType()) || holdsDays(map.valueType());
        }
        return type instanceof DateType || type instanceof TimestampType;
    }

    private static String struct(GroupType group, StructType struct) {
        if (group.getFieldCount() != struct.size()) {
            return "is a struct with other fields than those that are read";
        }
        for (int i = 0; i < struct.size(); i++) {
            StructField field = struct.apply(i);
            if (!group.getFieldName(i).equals(field.name())) {
                return "is a struct with other fields than those that are read";
            }
            String obstacle = obstacle(group.getType(i), field.dataType());
            if (!obstacle.isEmpty()) {
                return "has a field \"" + field.name() + "\" that " + obstacle;
            }
        }
        return "";
    }

    private static String list(GroupType group, ArrayType array) {
        String name = group.getFieldCount() == 1 ? group.getFieldName(0) : "array";
        boolean plain = !name.equals("array")
                && !name.equals(group.getName() + "_tuple")
                && group.getType(0).isRepetition(Type.Repetition.REPEATED)
                && !group.getType(0).isPrimitive()
                && group.getType(0).asGroupType().getFieldCount() == 1;
        return plain
                ? obstacle(group.getType(0).asGroupType().getType(0), array.elementType())
                : "is a list in the way of old files";
    }

    private static String map(GroupType group, MapType map) {
        boolean plain = group.getFieldCount() == 1
                && group.getType(0).isRepetition(Type.Repetition.REPEATED)
                && !group.getType(0).isPrimitive()
                && group.getType(0).asGroupType().getFieldCount() == 2
                && group.getType(0).asGroupType().getType(0).isRepetition(Type.Repetition.REQUIRED);
        if (!plain) {
            return "is a map in the way of old files";
        }
        GroupType entries = group.getType(0).asGroupType();
        String key = obstacle(entries.getType(0), map.keyType());
        return key.isEmpty() ? obstacle(entries.getType(1), map.valueType()) : key;
    }

    /** What Spark makes of a plain column; null where that depends on its options, or where Bowshot may make something else of it. */
    private static DataType plain(PrimitiveType type) {
        LogicalTypeAnnotation of = type.getLogicalTypeAnnotation();
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> of == null ? DataTypes.BooleanType : null;
            case FLOAT -> of == null ? DataTypes.FloatType : null;
            case DOUBLE -> of == null ? DataTypes.DoubleType : null;
            case INT32 -> of instanceof DateLogicalTypeAnnotation ? DataTypes.DateType : number(of, 32, 9);
            case INT64 -> of instanceof TimestampLogicalTypeAnnotation time ? time(time) : number(of, 64, 18);
            case BINARY -> of instanceof StringLogicalTypeAnnotation ? DataTypes.StringType : bytes(of);
            case FIXED_LEN_BYTE_ARRAY -> bytes(of);
            case INT96 -> null;
        };
    }

    private static DataType number(LogicalTypeAnnotation of, int bits, int digits) {
        if (of == null) {
            return bits == 32 ? DataTypes.IntegerType : DataTypes.LongType;
        }
        if (of instanceof DecimalLogicalTypeAnnotation decimal) {
            return decimal.getPrecision() <= digits ? decimal(decimal) : null;
        }
        if (!(of instanceof IntLogicalTypeAnnotation integer)) {
            return null;
        }
        if (bits == 64) {
            boolean whole = integer.getBitWidth() == 64;
            return whole ? integer.isSigned() ? DataTypes.LongType : DataTypes.createDecimalType(20, 0) : null;
        }
        return switch (integer.getBitWidth()) {
            case 8 -> integer.isSigned() ? DataTypes.ByteType : DataTypes.ShortType;
            case 16 -> integer.isSigned() ? DataTypes.ShortType : DataTypes.IntegerType;
            case 32 -> integer.isSigned() ? DataTypes.IntegerType : DataTypes.LongType;
            default -> null;
        };
    }

    private static DataType bytes(LogicalTypeAnnotation of) {
        if (of instanceof DecimalLogicalTypeAnnotation decimal) {
            return decimal(decimal);
        }
        return of == null ? DataTypes.BinaryType : null;
    }

    private static DataType decimal(DecimalLogicalTypeAnnotation decimal) {
        boolean fits = decimal.getPrecision() <= DecimalType.MAX_PRECISION() && decimal.getScale() >= 0;
        return fits ? DataTypes.createDecimalType(decimal.getPrecision(), decimal.getScale()) : null;
    }

    private static DataType time(TimestampLogicalTypeAnnotation time) {
        if (time.getUnit() == TimeUnit.NANOS) {
            return null;
        }
        return time.isAdjustedToUTC() ? DataTypes.TimestampType : DataTypes.TimestampNTZType;
    }

    private static String described(PrimitiveType type) {
        LogicalTypeAnnotation of = type.getLogicalTypeAnnotation();
        return type.getPrimitiveTypeName() + (of == null ? "" : " (" + of + ")");
    }
}
