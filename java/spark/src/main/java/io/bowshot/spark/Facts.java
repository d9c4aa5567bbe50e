package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Answer;
import io.bowshot.border.Texts;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Aggregates over all rows that a source may know without reading them, in the words of {@code crates/spark/src/aggregate.rs}.
 *
 * @param look what they are of
 * @param request how the native library is asked
 * @param columns what they are, for people, with their types
 */
record Facts(Look look, Texts request, StructType columns) {
    /** What Spark asks for; null where the native library has no words for it. */
    static Facts of(Aggregation aggregation, Look look) {
        AggregateFunc[] functions = aggregation.aggregateExpressions();
        if (aggregation.groupByExpressions().length > 0 || functions.length == 0) {
            return null;
        }
        Texts request = new Texts().add(functions.length);
        StructType columns = new StructType();
        for (AggregateFunc function : functions) {
            DataType type = write(function, look.schema(), request);
            if (type == null) {
                return null;
            }
            columns = columns.add(function.toString(), type);
        }
        return new Facts(look, request, columns);
    }

    /** Writes an aggregate; its type, or null where there are no words for it. */
    private static DataType write(AggregateFunc function, StructType schema, Texts to) {
        if (function instanceof CountStar) {
            to.add("rows");
            return DataTypes.LongType;
        }
        if (function instanceof Count count && !count.isDistinct()) {
            return column(count.column(), schema, to.add("values")) == null ? null : DataTypes.LongType;
        }
        if (function instanceof Min min) {
            return ordered(column(min.column(), schema, to.add("least")));
        }
        return function instanceof Max max ? ordered(column(max.column(), schema, to.add("greatest"))) : null;
    }

    private static DataType column(Expression expression, StructType schema, Texts to) {
        if (expression instanceof NamedReference reference && reference.fieldNames().length == 1) {
            String name = reference.fieldNames()[0];
            to.add(name);
            return List.of(schema.fieldNames()).contains(name)
                    ? schema.apply(name).dataType()
                    : null;
        }
        return null;
    }

    /** The type, if its values can be written. */
    private static DataType ordered(DataType type) {
        boolean known = type instanceof ByteType
                || type instanceof ShortType
                || type instanceof IntegerType
                || type instanceof LongType
                || type instanceof DecimalType
                || type instanceof BooleanType
                || type instanceof DateType
                || type instanceof TimestampType
                || type instanceof TimestampNTZType;
        return known ? type : null;
    }

    /** Whether the source knows all of them, as it is now. */
    boolean areKnown() {
        return ask().value() != 0;
    }

    /**
     * Their values, as the source is now.
     *
     * @throws BowshotException of kind SNAPSHOT_GONE where it does not know all of them any more
     */
    InternalRow row() {
        Answer answer = ask();
        if (answer.value() == 0) {
            String message = "the files have changed: their footers do not tell " + described() + " any more"
                    + "\n  make the DataFrame again";
            throw new BowshotException(BowshotException.Kind.SNAPSHOT_GONE, message);
        }
        Object[] values = new Object[columns.size()];
        for (int i = 0; i < values.length; i++) {
            String text = answer.text(i);
            values[i] = text.isEmpty() ? null : value(text, columns.apply(i).dataType());
        }
        return new GenericInternalRow(values);
    }

    /** What they are: {@code COUNT(*), MIN(id)}. */
    String described() {
        List<String> names = new ArrayList<>(List.of(columns.fieldNames()));
        return String.join(", ", names);
    }

    private Answer ask() {
        return Native.answer(request, (at, bytes, length) -> Native.aggregates(at, look.handle(), bytes, length));
    }

    private static Object value(String text, DataType type) {
        if (type instanceof ByteType) {
            return Byte.valueOf(text);
        }
        if (type instanceof ShortType) {
            return Short.valueOf(text);
        }
        if (type instanceof IntegerType || type instanceof DateType) {
            return Integer.valueOf(text);
        }
        if (type instanceof BooleanType) {
            return Boolean.valueOf(text);
        }
        if (type instanceof DecimalType decimal) {
            BigDecimal value = new BigDecimal(new BigInteger(text), decimal.scale());
            return Decimal.apply(value, decimal.precision(), decimal.scale());
        }
        return Long.valueOf(text);
    }
}
