package io.bowshot.spark.write.columns;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts and bytes. */
final class Bytes extends ColumnBuilder {
    private final Growing values = new Growing();
    private final Offsets offsets;
    private final boolean isText;

    Bytes(String column, boolean isText) {
        super(List.of());
        offsets = new Offsets(column);
        this.isText = isText;
    }

    @Override
    void put(SpecializedGetters row, int ordinal) {
        if (isText) {
            UTF8String text = row.getUTF8String(ordinal);
            text.writeToMemory(null, room(text.numBytes()));
        } else {
            byte[] bytes = row.getBinary(ordinal);
            Platform.copyMemory(bytes, Platform.BYTE_ARRAY_OFFSET, null, room(bytes.length), bytes.length);
        }
    }

    private long room(int bytes) {
        long start = offsets.add(length(), bytes);
        return values.reserve(start + bytes) + start;
    }

    @Override
    void putEmpty() {
        offsets.add(length(), 0);
    }

    @Override
    long[] buffers() {
        return new long[] {offsets.address(), values.address()};
    }

    @Override
    long valueBytes() {
        return offsets.end() + 4L * length();
    }

    @Override
    void resetValues() {
        values.reset(offsets.end());
        offsets.reset(length());
    }

    @Override
    void freeValues() {
        values.free();
        offsets.free();
    }
}
