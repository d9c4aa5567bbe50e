package io.bowshot.spark.vectors;

import io.bowshot.BowshotException;
import io.bowshot.spark.Column;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column of an ArrowArray, read where it lies. Its memory is the batch's, which it keeps from being freed.
 *
 * <p>Getters are called for rows that are not NULL. Spark calls those of some objects for NULL, too, and expects null: such vectors look.
 */
abstract class ArrowVector extends ColumnVector {
    /** Where the column's first value lies among those of its buffers: its own offset and that of the struct around it. */
    final long offset;

    private final Source source;
    private final long validity;
    private final int nullCount;

    ArrowVector(Source source) {
        super(source.column().type());
        this.source = source;
        offset = source.shift() + Platform.getLong(null, source.array() + 16);
        long nulls = Platform.getLong(null, source.array() + 8);
        // An array without validity has no NULLs, whatever it counts; one that did not count may have some.
        validity = hasValidity(source.column()) ? source.buffer(0) : 0;
        nullCount = validity == 0 || nulls == 0 ? 0 : (int) Math.max(nulls, 1);
    }

    private static boolean hasValidity(Column column) {
        return !column.format().equals("n") && !column.format().startsWith("+r");
    }

    /** The column's name. */
    final String name() {
        return source.column().name();
    }

    @Override
    public void close() {
        // The batch is released by its reader.
    }

    @Override
    public boolean hasNull() {
        return nullCount != 0;
    }

    @Override
    public int numNulls() {
        return nullCount;
    }

    @Override
    public boolean isNullAt(int row) {
        if (nullCount == 0) {
            return false;
        }
        long bit = offset + row;
        return (Platform.getByte(null, validity + (bit >> 3)) >> (bit & 7) & 1) == 0;
    }

    /** A value that Spark's type cannot hold. */
    final BowshotException misfit(Object value, String why) {
        String message = "the column \"" + name() + "\" holds " + value + ", which " + why + "\n  read it as text: "
                + ".option(\"types." + name() + "\", \"utf8\")";
        return new BowshotException(BowshotException.Kind.VALUE, message, name(), "");
    }

    private UnsupportedOperationException other() {
        return new UnsupportedOperationException("the column \"" + name() + "\" is " + type.simpleString());
    }

    @Override
    public boolean getBoolean(int row) {
        throw other();
    }

    @Override
    public byte getByte(int row) {
        throw other();
    }

    @Override
    public short getShort(int row) {
        throw other();
    }

    @Override
    public int getInt(int row) {
        throw other();
    }

    @Override
    public long getLong(int row) {
        throw other();
    }

    @Override
    public float getFloat(int row) {
        throw other();
    }

    @Override
    public double getDouble(int row) {
        throw other();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw other();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw other();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw other();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw other();
    }

    @Override
    public byte[] getBinary(int row) {
        throw other();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw other();
    }
}
