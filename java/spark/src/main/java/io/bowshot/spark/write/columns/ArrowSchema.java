package io.bowshot.spark.write.columns;

import io.bowshot.border.Memory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/** The columns of a schema as an {@code ArrowSchema}, in memory that closing it frees. */
public final class ArrowSchema implements AutoCloseable {
    private static final int BYTES = 72;
    private static final long NULLABLE = 2;

    private final List<Long> blocks = new ArrayList<>();
    private final long callback;
    private final long address;

    /**
     * Lays out a schema.
     *
     * @param callback the native function for its release
     * @throws io.bowshot.BowshotException for a type that Parquet has not
     */
    public ArrowSchema(StructType schema, long callback) {
        this.callback = callback;
        ArrowField columns = ArrowField.of(schema);
        address = put(columns);
    }

    /** Where it is. */
    public long address() {
        return address;
    }

    private long put(ArrowField field) {
        List<ArrowField> children = field.children();
        long pointers = allocate(8L * children.size());
        for (int i = 0; i < children.size(); i++) {
            Platform.putLong(null, pointers + 8L * i, put(children.get(i)));
        }
        long[] fields = {
            text(field.format()),
            text(field.name()),
            0,
            field.isNullable() ? NULLABLE : 0,
            children.size(),
            children.isEmpty() ? 0 : pointers,
            0,
            callback,
            0
        };
        long at = allocate(BYTES);
        for (int i = 0; i < fields.length; i++) {
            Platform.putLong(null, at + 8L * i, fields[i]);
        }
        return at;
    }

    private long text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long at = allocate(bytes.length + 1L);
        Memory.putBytes(at, bytes);
        return at;
    }

    private long allocate(long bytes) {
        long at = Memory.allocate(bytes);
        blocks.add(at);
        return at;
    }

    @Override
    public void close() {
        blocks.forEach(Memory::free);
        blocks.clear();
    }
}
