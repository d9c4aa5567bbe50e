package io.bowshot.spark.vectors;

import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Days and times that become others as they are read. */
final class Converted extends Indirect {
    private final IntUnaryOperator ints;
    private final LongUnaryOperator longs;

    Converted(ColumnVector values, DataType type, IntUnaryOperator ints, LongUnaryOperator longs) {
        super(values, type);
        this.ints = ints;
        this.longs = longs;
    }

    @Override
    int place(int row) {
        return row;
    }

    @Override
    public int getInt(int row) {
        // What stands in the place of NULL may be any number.
        return isNullAt(row) ? 0 : ints.applyAsInt(super.getInt(row));
    }

    @Override
    public long getLong(int row) {
        return isNullAt(row) ? 0 : longs.applyAsLong(super.getLong(row));
    }
}
