package io.bowshot.spark.write.columns;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.Platform;

/** Columns whose values all have one width. */
final class Fixed extends ColumnBuilder {
    /** Writes the value of a row to an address. */
    @FunctionalInterface
    interface Put {
        void put(SpecializedGetters row, int ordinal, long address);
    }

    private final Growing values = new Growing();
    private final int width;
    private final Put put;

    Fixed(int width, Put put) {
        super(List.of());
        this.width = width;
        this.put = put;
    }

    /** Decimals as numbers of 128 bits. */
    static Fixed decimal(int precision, int scale) {
        if (precision <= Decimal.MAX_LONG_DIGITS()) {
            return new Fixed(16, (row, ordinal, address) -> {
                Decimal value = row.getDecimal(ordinal, precision, scale);
                long digits = value.scale() == scale
                        ? value.toUnscaledLong()
                        : value.toJavaBigDecimal()
                                .setScale(scale)
                                .unscaledValue()
                                .longValueExact();
                Platform.putLong(null, address, digits);
                Platform.putLong(null, address + 8, digits >> 63);
            });
        }
        return new Fixed(16, (row, ordinal, address) -> {
            BigInteger digits = row.getDecimal(ordinal, precision, scale)
                    .toJavaBigDecimal()
                    .setScale(scale)
                    .unscaledValue();
            Platform.putLong(null, address, digits.longValue());
            Platform.putLong(null, address + 8, digits.shiftRight(64).longValueExact());
        });
    }

    @Override
    void put(SpecializedGetters row, int ordinal) {
        put.put(row, ordinal, room());
    }

    @Override
    void putEmpty() {
        room();
    }

    private long room() {
        long at = (long) length() * width;
        return values.reserve(at + width) + at;
    }

    @Override
    long[] buffers() {
        return new long[] {values.address()};
    }

    @Override
    long valueBytes() {
        return (long) length() * width;
    }

    @Override
    void resetValues() {
        values.reset((long) length() * width);
    }

    @Override
    void freeValues() {
        values.free();
    }
}
