package io.bowshot.spark.write.columns;

import io.bowshot.BowshotException;
import org.apache.spark.unsafe.Platform;

/** Where each value of a column ends: numbers of 32 bits, as Arrow has them. */
final class Offsets {
    private final Growing ends = new Growing();
    private final String column;
    private long end;

    Offsets(String column) {
        this.column = column;
    }

    long end() {
        return end;
    }

    /** Adds a value of a length, as the one at a place; returns where it begins. */
    long add(int place, long length) {
        long start = end;
        if (start + length > Integer.MAX_VALUE) {
            String message = "column \"" + column
                    + "\" has a row of more than 2 GiB of values\n  cut its values into several rows";
            throw new BowshotException(BowshotException.Kind.VALUE, message, column, "");
        }
        end = start + length;
        long at = 4L * place + 4;
        Platform.putInt(null, ends.reserve(at + 4) + at, (int) end);
        return start;
    }

    long address() {
        return ends.address();
    }

    void reset(int length) {
        ends.reset(4L * length + 4);
        end = 0;
    }

    void free() {
        ends.free();
    }
}
