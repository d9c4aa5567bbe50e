package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Answer;
import io.bowshot.border.Memory;
import io.bowshot.border.Texts;
import java.util.List;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A ticket that is read. */
final class Reading implements AutoCloseable {
    private static final int SCHEMA_BYTES = 72;
    /** How long a task waits for a connection of a database that has none left, and between two attempts at most. */
    private static final long PATIENCE = 300_000;

    private static final long PAUSE = 1_000;

    private final List<Column> columns;
    private final Cancelling cancelling;
    private long handle;

    private Reading(long handle, List<Column> columns, Cancelling cancelling) {
        this.handle = handle;
        this.columns = columns;
        this.cancelling = cancelling;
    }

    /** Opens a ticket; where the database has no connection left, it waits for one: other tasks will end. */
    static Reading open(String address, byte[] ticket, StructType columns, Cancelling cancelling) {
        long until = System.currentTimeMillis() + PATIENCE;
        long pause = 20;
        while (true) {
            try {
                return opened(address, ticket, columns, cancelling);
            } catch (BowshotException error) {
                boolean full = error.kind() == BowshotException.Kind.CONNECTION_LIMIT;
                if (!full || System.currentTimeMillis() > until || cancelling.isCancelled()) {
                    throw error;
                }
            }
            try {
                Thread.sleep(pause);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new BowshotException(BowshotException.Kind.CANCELLED, "the read was cancelled");
            }
            pause = Math.min(2 * pause, PAUSE);
        }
    }

    private static Reading opened(String address, byte[] ticket, StructType columns, Cancelling cancelling) {
        Texts request = new Texts().add(address).add(ticket);
        for (String name : columns.fieldNames()) {
            request.add(name);
        }
        Reading reading = opened(request, Native::open, cancelling);
        reading.check(columns);
        return reading;
    }

    /** Opens a file, or a part of it, as {@code open_file} of the native library is asked. */
    static Reading openFile(Texts request, Cancelling cancelling) {
        return opened(request, Native::openFile, cancelling);
    }

    /** How the native library opens something. */
    private interface Opening {
        void open(long answer, long cancel, long request, long length, long schema);
    }

    private static Reading opened(Texts request, Opening opening, Cancelling cancelling) {
        long schema = Memory.allocate(SCHEMA_BYTES);
        try {
            Answer answer = cancelling.reading(cancel ->
                    Native.answer(request, (at, bytes, length) -> opening.open(at, cancel, bytes, length, schema)));
            return new Reading(answer.value(), Look.columns(schema), cancelling);
        } finally {
            Memory.free(schema);
        }
    }

    /** What its batches hold. */
    List<Column> columns() {
        return columns;
    }

    private void check(StructType planned) {
        for (int i = 0; i < columns.size(); i++) {
            StructField field = planned.apply(i);
            if (!columns.get(i).type().equals(field.dataType())) {
                close();
                throw changed(
                        field.name(),
                        field.dataType().simpleString(),
                        columns.get(i).type().simpleString());
            }
        }
    }

    /** The next batch; null after the last one. */
    Batch next() {
        long array = Memory.allocate(Batch.ARRAY_BYTES);
        boolean read = false;
        try {
            long bytes = cancelling
                    .reading(cancel -> Native.answer(at -> Native.next(at, handle, array)))
                    .value();
            read = bytes >= 0;
            return read ? new Batch(array, columns, bytes) : null;
        } finally {
            if (!read) {
                Memory.free(array);
            }
        }
    }

    @Override
    public void close() {
        if (handle != 0) {
            long closed = handle;
            handle = 0;
            Native.answer(at -> Native.closeReading(at, closed));
        }
    }

    /** The error of columns that are no longer those that were planned. */
    private static BowshotException changed(String column, String planned, String found) {
        String message = "the column \"" + column + "\" was " + planned + " when the read was planned, and is " + found
                + "\n  make the DataFrame again";
        return new BowshotException(BowshotException.Kind.SNAPSHOT_GONE, message, column, "");
    }
}
