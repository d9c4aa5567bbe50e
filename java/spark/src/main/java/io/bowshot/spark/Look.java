package io.bowshot.spark;

import io.bowshot.border.Answer;
import io.bowshot.border.Memory;
import io.bowshot.border.Texts;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.spark.sql.types.StructType;

/** A query that was looked at: its columns, and what is expected of it. It lives on the driver, and holds nothing in the database. */
final class Look {
    static final Cleaner CLEANER = Cleaner.create();
    private static final int SCHEMA_BYTES = 72;

    private final long handle;
    private final String address;
    private final List<Column> columns;
    private final Answer answer;
    private final Map<Texts, WeakReference<PlannedRead>> reads = new HashMap<>();

    private Look(long handle, List<Column> columns, Answer answer) {
        this.handle = handle;
        this.columns = columns;
        this.answer = answer;
        address = answer.text(5);
        CLEANER.register(this, () -> Native.answer(at -> Native.closeLook(at, handle)));
    }

    /** Looks at a query. */
    static Look at(Asked asked) {
        Texts request = asked.request();
        long schema = Memory.allocate(SCHEMA_BYTES);
        try {
            Answer answer = Native.answer(request, (at, bytes, length) -> Native.look(at, bytes, length, schema));
            return new Look(answer.value(), columns(schema), answer);
        } finally {
            Memory.free(schema);
        }
    }

    /** The columns at an address, which are released there. */
    static List<Column> columns(long schema) {
        try {
            return Column.columns(schema);
        } finally {
            Native.answer(at -> Native.releaseSchema(at, schema));
        }
    }

    /** The read of a wish: equal wishes share one, and with it a state of the database. */
    synchronized PlannedRead read(Texts wish) {
        WeakReference<PlannedRead> known = reads.get(wish);
        PlannedRead read = known == null ? null : known.get();
        if (read == null || !read.isShared()) {
            read = new PlannedRead(this, wish);
            reads.values().removeIf(other -> other.get() == null);
            reads.put(wish, new WeakReference<>(read));
        }
        return read;
    }

    /** Its columns. */
    List<Column> columns() {
        return columns;
    }

    /** Its columns as Spark has them. */
    StructType schema() {
        return Column.struct(columns);
    }

    long handle() {
        return handle;
    }

    /** Where tasks find it; it may hold a password. */
    String address() {
        return address;
    }

    /** The address as people may see it. */
    String shownAddress() {
        return answer.text(6);
    }

    /** Whether aggregates may be known without reading the rows. */
    boolean hasFacts() {
        return Boolean.parseBoolean(answer.text(7));
    }

    /** How many rows are expected. */
    OptionalLong rows() {
        return number(answer.text(2));
    }

    /** How many bytes the source stores for them. */
    OptionalLong bytes() {
        return number(answer.text(3));
    }

    static OptionalLong number(String text) {
        return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }
}
