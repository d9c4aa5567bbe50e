package io.bowshot.spark;

import io.bowshot.border.Memory;
import io.bowshot.spark.vectors.Vectors;
import java.lang.ref.Cleaner;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** A batch of the native library's. Its memory goes when it is closed, or when nobody knows of it or its vectors any more. */
final class Batch implements AutoCloseable {
    static final int ARRAY_BYTES = 80;

    private final ColumnarBatch vectors;
    private final long bytes;
    private final Cleaner.Cleanable closing;

    Batch(long array, List<Column> columns, long bytes) {
        this.bytes = bytes;
        closing = Look.CLEANER.register(this, () -> release(array));
        vectors = new ColumnarBatch(Vectors.of(columns, array, this), Math.toIntExact(Memory.getLong(array)));
    }

    private static void release(long array) {
        Native.answer(at -> Native.releaseArray(at, array));
        Memory.free(array);
    }

    ColumnarBatch vectors() {
        return vectors;
    }

    /** How many bytes its columns have. */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        closing.clean();
    }
}
