package io.bowshot.spark.write.columns;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.Platform;

/** Booleans, a bit each. */
final class Bits extends ColumnBuilder {
    private final Growing values = new Growing();

    Bits() {
        super(List.of());
    }

    @Override
    void put(SpecializedGetters row, int ordinal) {
        int bit = length() % 8;
        long at = values.reserve(length() / 8 + 1) + length() / 8;
        if (row.getBoolean(ordinal)) {
            Platform.putByte(null, at, (byte) (Platform.getByte(null, at) | 1 << bit));
        }
    }

    @Override
    void putEmpty() {
        values.reserve(length() / 8 + 1);
    }

    @Override
    long[] buffers() {
        return new long[] {values.address()};
    }

    @Override
    long valueBytes() {
        return length() / 8;
    }

    @Override
    void resetValues() {
        values.reset(length() / 8 + 1);
    }

    @Override
    void freeValues() {
        values.free();
    }
}
