package io.bowshot.spark;

import io.bowshot.border.NativeLibrary;

/** The native library in the jar, which is loaded once for all classes with native methods. */
public final class Library {
    static {
        NativeLibrary.load("bowshot_spark", Library.class, System::load);
    }

    private Library() {}

    /** Loads it, unless that is done. */
    public static void load() {
        // The class is initialized by now.
    }
}
