package io.bowshot.spark;

import io.bowshot.border.Texts;
import java.util.Map;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** Spark's predicates, in the words of {@code crates/spark/src/filter.rs}; those that have none there stay with Spark. */
final class Filters {
    /** Each comparison, as it reads from right to left. */
    private static final Map<String, String> FLIPPED =
            Map.of("=", "=", "<>", "<>", "<", ">", "<=", ">=", ">", "<", ">=", "<=");

    private Filters() {}

    /** Whether a predicate can be written. */
    static boolean isKnown(Predicate predicate) {
        return write(predicate, new Texts());
    }

    /** Writes a predicate; false where it cannot be written. */
    static boolean write(Expression expression, Texts to) {
        if (!(expression instanceof Predicate predicate)) {
            return false;
        }
        Expression[] parts = predicate.children();
        switch (predicate.name()) {
            case "AND", "OR":
                to.add(predicate.name().equals("AND") ? "and" : "or").add(parts.length);
                boolean known = true;
                for (Expression part : parts) {
                    known &= write(part, to);
                }
                return known;
            case "IS_NULL", "IS_NOT_NULL":
                to.add(predicate.name().equals("IS_NULL") ? "null" : "not null");
                return column(parts[0], to);
            case "IN":
                to.add("in");
                if (!column(parts[0], to)) {
                    return false;
                }
                to.add(parts.length - 1);
                boolean all = true;
                for (int i = 1; i < parts.length; i++) {
                    all &= literal(parts[i], to);
                }
                return all;
            case "<=>":
                return compare("=", parts, to);
            default:
                return FLIPPED.containsKey(predicate.name()) && compare(predicate.name(), parts, to);
        }
    }

    private static boolean compare(String comparison, Expression[] parts, Texts to) {
        if (parts[0] instanceof NamedReference) {
            to.add(comparison);
            return column(parts[0], to) && literal(parts[1], to);
        }
        to.add(FLIPPED.get(comparison));
        return column(parts[1], to) && literal(parts[0], to);
    }

    private static boolean column(Expression expression, Texts to) {
        if (expression instanceof NamedReference reference && reference.fieldNames().length == 1) {
            to.add(reference.fieldNames()[0]);
            return true;
        }
        return false;
    }

    private static boolean literal(Expression expression, Texts to) {
        if (!(expression instanceof LiteralValue<?> literal) || literal.value() == null) {
            return false;
        }
        String kind = kind(literal.dataType());
        if (kind.isEmpty()) {
            return false;
        }
        Object value = literal.value();
        to.add(kind)
                .add(
                        value instanceof Decimal decimal
                                ? decimal.toJavaBigDecimal().toPlainString()
                                : value.toString());
        return true;
    }

    private static String kind(DataType type) {
        if (type instanceof ByteType
                || type instanceof ShortType
                || type instanceof IntegerType
                || type instanceof LongType) {
            return "integer";
        }
        if (type instanceof FloatType || type instanceof DoubleType) {
            return "float";
        }
        // A collation may take different texts for equal.
        if (type instanceof StringType) {
            return type.equals(org.apache.spark.sql.types.DataTypes.StringType) ? "text" : "";
        }
        return type instanceof DecimalType
                ? "decimal"
                : type instanceof BooleanType
                        ? "boolean"
                        : type instanceof DateType
                                ? "date"
                                : type instanceof TimestampType
                                        ? "instant"
                                        : type instanceof TimestampNTZType ? "timestamp" : "";
    }
}
