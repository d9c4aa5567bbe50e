package io.bowshot.parquet;

/** How much a file says of its values' bounds, by which readers skip what they do not need. */
public enum Statistics {
    /** Nothing. */
    NONE,
    /** Bounds and NULLs of each column of a row group. */
    CHUNK,
    /** Those of each page as well. */
    PAGE
}
