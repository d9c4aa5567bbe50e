package io.bowshot.spark;

import io.bowshot.border.Answer;
import io.bowshot.border.Texts;

/** The native library's functions; {@code crates/spark/src/functions.rs} says what each asks and answers. */
final class Native {
    static {
        Library.load();
    }

    private Native() {}

    static native void look(long answer, long request, long length, long schema);

    static native void list(long answer, long request, long length);

    static native void closeLook(long answer, long look);

    static native void statement(long answer, long look, long request, long length);

    static native void aggregates(long answer, long look, long request, long length);

    static native void plan(long answer, long look, long request, long length);

    static native void isAlive(long answer, long plan);

    static native void closePlan(long answer, long plan);

    static native void newCancel(long answer);

    static native void cancel(long answer, long cancel);

    static native void closeCancel(long answer, long cancel);

    static native void open(long answer, long cancel, long request, long length, long schema);

    static native void openFile(long answer, long cancel, long request, long length, long schema);

    static native void next(long answer, long reading, long array);

    static native void closeReading(long answer, long reading);

    static native void releaseArray(long answer, long array);

    static native void releaseSchema(long answer, long schema);

    static native void free(long bytes, long length);

    /** What a function answers. */
    static Answer answer(Answer.Function function) {
        return Answer.of(Native::free, function);
    }

    /** What a function answers that is asked with texts. */
    static Answer answer(Texts request, Answer.Request function) {
        return Answer.of(Native::free, request, function);
    }
}
