package io.bowshot.spark.write.columns;

import io.bowshot.border.Memory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Rows as columns outside of the heap, which native code takes as an {@code ArrowArray} and gives back later. */
public final class RowBatch {
    private static final int ROWS = 8192;
    private static final long BYTES = 16 << 20;
    /** Bytes are counted this often: a look at each column takes its time. */
    private static final int COUNT_EVERY = 64;

    private final Nested.Struct columns;
    /** Where the native callback says that it is done. */
    private final long told = Memory.allocate(8);

    private boolean lent;
    private long rowBytes;

    /** An empty batch. */
    public RowBatch(StructType schema) {
        columns = (Nested.Struct) ArrowField.of(schema).builder();
    }

    /** Appends the first columns of a row: as many as the schema has. */
    public void append(InternalRow row) {
        columns.putFields(row);
        columns.appended();
        // Rows that are large by themselves are seen at once.
        if (columns.length() % COUNT_EVERY == 0 || isLarge(row)) {
            rowBytes = columns.bytes();
        }
    }

    private static boolean isLarge(InternalRow row) {
        return row instanceof org.apache.spark.sql.catalyst.expressions.UnsafeRow unsafe
                && unsafe.getSizeInBytes() > BYTES / COUNT_EVERY;
    }

    /** How many rows it has. */
    public int rows() {
        return columns.length();
    }

    /** Whether it is time to write it. */
    public boolean isFull() {
        return rows() >= ROWS || rowBytes >= BYTES;
    }

    /** Lends it to native code: the address of its {@code ArrowArray}. */
    public long lend(long callback) {
        lent = true;
        Memory.putLong(told, 0);
        return columns.array(callback, told);
    }

    /** Whether native code has given it back; it is empty then. */
    public boolean isBack() {
        if (lent && Memory.getLong(told) != 0) {
            lent = false;
            rowBytes = 0;
            columns.reset();
        }
        return !lent;
    }

    /** Frees its memory, unless native code still has it. */
    public void free() {
        if (isBack()) {
            columns.free();
            Memory.free(told);
        }
    }
}
