package io.bowshot.spark.write;

import io.bowshot.border.Answer;
import io.bowshot.spark.Library;

/** The native library's functions for files; {@code crates/spark/src/write.rs} says what each asks and answers. */
final class Native {
    static {
        Library.load();
    }

    private Native() {}

    static native void arrayCallback(long answer);

    static native void schemaCallback(long answer);

    static native void open(long answer, long request, long length, long schema);

    static native void write(long answer, long writer, long array);

    static native void finish(long answer, long writer);

    static native void abort(long answer, long writer);

    static native void free(long bytes, long length);

    /** What a function answers. */
    static Answer answer(Answer.Function function) {
        return Answer.of(Native::free, function);
    }
}
