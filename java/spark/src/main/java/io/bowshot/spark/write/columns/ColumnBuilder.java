package io.bowshot.spark.write.columns;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.Platform;

/** A column of a batch as Arrow lays it out, filled value by value. */
abstract class ColumnBuilder {
    /** An {@code ArrowArray}. */
    private static final int ARRAY_BYTES = 80;

    private final List<ColumnBuilder> children;
    private final Growing validity = new Growing();
    /** The {@code ArrowArray}, the addresses of its buffers, and those of its children. */
    private final long block;

    private int length;
    private int nulls;

    ColumnBuilder(List<ColumnBuilder> children) {
        this.children = children;
        block = Platform.allocateMemory(ARRAY_BYTES + 24 + 8L * children.size());
    }

    /** Appends a value that is not NULL, as the value at {@link #length}. */
    abstract void put(SpecializedGetters row, int ordinal);

    /** Appends what stands below a NULL, as the value at {@link #length}. */
    abstract void putEmpty();

    /** The addresses of the buffers after the validity. */
    abstract long[] buffers();

    /** How many bytes the values take, without children. */
    abstract long valueBytes();

    /** Forgets the values. */
    abstract void resetValues();

    abstract void freeValues();

    final void append(SpecializedGetters row, int ordinal) {
        if (row.isNullAt(ordinal)) {
            appendNull();
            return;
        }
        put(row, ordinal);
        appended();
    }

    /** Counts a value that was put and is not NULL. */
    final void appended() {
        long at = validity.reserve(length / 8 + 1) + length / 8;
        Platform.putByte(null, at, (byte) (Platform.getByte(null, at) | 1 << length % 8));
        length = Math.incrementExact(length);
    }

    final void appendNull() {
        putEmpty();
        validity.reserve(length / 8 + 1);
        length = Math.incrementExact(length);
        nulls++;
    }

    final int length() {
        return length;
    }

    final ColumnBuilder child(int place) {
        return children.get(place);
    }

    final int childCount() {
        return children.size();
    }

    /** How many bytes the column takes, with its children. */
    final long bytes() {
        long bytes = valueBytes() + length / 8;
        for (ColumnBuilder child : children) {
            bytes += child.bytes();
        }
        return bytes;
    }

    /**
     * The address of the column as an {@code ArrowArray}, which lives until the column is reset.
     *
     * @param callback the native function that releases it
     * @param told where the callback says that it was called, or 0
     */
    final long array(long callback, long told) {
        long pointers = block + ARRAY_BYTES;
        long childPointers = pointers + 24;
        long[] buffers = buffers();
        Platform.putLong(null, pointers, nulls == 0 ? 0 : validity.address());
        for (int i = 0; i < buffers.length; i++) {
            Platform.putLong(null, pointers + 8L * (i + 1), buffers[i]);
        }
        for (int i = 0; i < children.size(); i++) {
            Platform.putLong(null, childPointers + 8L * i, children.get(i).array(callback, 0));
        }
        long[] fields = {
            length,
            nulls,
            0,
            buffers.length + 1,
            children.size(),
            pointers,
            children.isEmpty() ? 0 : childPointers,
            0,
            callback,
            told
        };
        for (int i = 0; i < fields.length; i++) {
            Platform.putLong(null, block + 8L * i, fields[i]);
        }
        return block;
    }

    final void reset() {
        validity.reset(length / 8 + 1);
        resetValues();
        length = 0;
        nulls = 0;
        children.forEach(ColumnBuilder::reset);
    }

    final void free() {
        validity.free();
        freeValues();
        Platform.freeMemory(block);
        children.forEach(ColumnBuilder::free);
    }
}
