package io.bowshot.parquet;

import io.bowshot.border.NativeLibrary;

/** The native library's functions: numbers and addresses alone. {@link io.bowshot.border.Answer} has what the first number is. */
final class Native {
    static {
        // A lambda: a library belongs to the class loader of the class that loads it.
        NativeLibrary.load("bowshot_parquet", Native.class, path -> System.load(path));
    }

    private Native() {}

    /** Begins a file: texts of its path, names and values of options; the address of an ArrowSchema. Answers a handle. */
    static native void open(long answer, long texts, long length, long schema);

    /**
     * Writes the rows of an ArrowArray, which it takes over, of the ArrowSchema, or of the writer's where that is 0. Answers the rows
     * of the file so far.
     */
    static native void write(long answer, long writer, long array, long schema);

    /** Ends the file and lets go of the handle. Answers its rows, row groups and bytes. */
    static native void finish(long answer, long writer);

    /** Gives the file up and lets go of the handle. */
    static native void abort(long answer, long writer);

    /** Takes back the bytes of an answer. */
    static native void free(long bytes, long length);
}
