package io.bowshot.spark.vectors;

import io.bowshot.spark.Column;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Makes vectors of a batch: one class a layout, so that reading a value is one load. */
public final class Vectors {
    private Vectors() {}

    /**
     * The vectors of a batch.
     *
     * @param columns its columns
     * @param batch the address of its ArrowArray, a struct
     * @param owner what the batch's memory lives as long as
     */
    public static ColumnVector[] of(List<Column> columns, long batch, Object owner) {
        Column struct = new Column("", "+s", "", "", false, columns, null, null);
        Source source = new Source(struct, batch, 0, owner);
        ColumnVector[] vectors = new ColumnVector[columns.size()];
        for (int i = 0; i < vectors.length; i++) {
            vectors[i] = of(source.child(i, 0));
        }
        return vectors;
    }

    /** The rows of a vector from a row on. */
    public static ColumnVector from(ColumnVector values, int first) {
        return new Indirect.Rest(values, first);
    }

    /**
     * A vector whose days and times become others.
     *
     * @param type what they become
     */
    public static ColumnVector converted(
            ColumnVector values, DataType type, IntUnaryOperator days, LongUnaryOperator micros) {
        return new Converted(values, type, days, micros);
    }

    static ColumnVector of(Source source) {
        Column column = source.column();
        if (column.dictionary() != null) {
            return new Indirect.Dictionary(source);
        }
        String format = column.format();
        return switch (format.charAt(0)) {
            case 'n' -> new Nested.Nulls(source);
            case 'b' -> new Numbers.Bits(source);
            case 'c' -> new Numbers.Int8(source);
            case 'C' -> new Numbers.UInt8(source);
            case 's' -> new Numbers.Int16(source);
            case 'S' -> new Numbers.UInt16(source);
            case 'i' -> new Numbers.Int32(source);
            case 'I' -> new Numbers.UInt32(source);
            case 'l' -> new Numbers.Int64(source);
            case 'L' -> new Decimals.UInt64(source);
            case 'e' -> new Numbers.Float16(source);
            case 'f' -> new Numbers.Float32(source);
            case 'g' -> new Numbers.Float64(source);
            case 'u', 'z' -> new Bytes.Small(source);
            case 'U', 'Z' -> new Bytes.Large(source);
            case 'v' -> new Bytes.Views(source);
            case 'w' -> column.extension().equals("arrow.uuid") ? new Texts.Uuid(source) : new Bytes.Fixed(source);
            case 'd' -> decimal(source, format);
            case 't' -> time(source, format);
            default -> nested(source, format);
        };
    }

    private static ColumnVector decimal(Source source, String format) {
        String[] parts = format.split(",");
        int scale = Integer.parseInt(parts[1]);
        String bits = parts.length > 2 ? parts[2] : "128";
        return switch (bits) {
            case "32" -> new Decimals.Int32(source, scale);
            case "64" -> new Decimals.Int64(source, scale);
            case "128" -> new Decimals.Int128(source, scale);
            default -> new Decimals.Int256(source, scale);
        };
    }

    private static ColumnVector time(Source source, String format) {
        return switch (format.substring(0, 3)) {
            case "tdD", "tiM" -> new Numbers.Int32(source);
            case "tdm" -> new Times.Days(source);
            case "tsu", "tDu" -> new Numbers.Int64(source);
            case "tss", "tDs" -> new Times.Coarser(source, 1_000_000);
            case "tsm", "tDm" -> new Times.Coarser(source, 1_000);
            case "tsn", "tDn" -> new Times.Nanos(source);
            case "tts" -> new Texts.Time32(source, 1_000_000_000);
            case "ttm" -> new Texts.Time32(source, 1_000_000);
            case "ttu" -> new Texts.Time64(source, 1_000);
            case "ttn" -> new Texts.Time64(source, 1);
            case "tiD" -> new Texts.DayTime(source);
            default -> new Texts.MonthDayNano(source);
        };
    }

    private static ColumnVector nested(Source source, String format) {
        return switch (format) {
            case "+s" -> new Nested.Struct(source);
            case "+m" -> new Nested.Entries(source);
            case "+r" -> new Indirect.Runs(source);
            case "+l" -> new Nested.SmallList(source);
            case "+L" -> new Nested.LargeList(source);
            case "+vl" -> new Nested.SmallListView(source);
            case "+vL" -> new Nested.LargeListView(source);
            default -> new Nested.FixedList(source, Integer.parseInt(format.substring(3)));
        };
    }
}
