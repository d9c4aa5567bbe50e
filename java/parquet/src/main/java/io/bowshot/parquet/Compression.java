package io.bowshot.parquet;

/** How pages are compressed. */
public enum Compression {
    /** Not at all. */
    NONE,
    /** Snappy: fast, and read by everything. */
    SNAPPY,
    /** Gzip, at a level from 0 to 9; 6 is usual. */
    GZIP,
    /** Zstandard, at a level from 1 to 22; 3 is usual. */
    ZSTD,
    /** LZ4 without frames, which Parquet calls {@code LZ4_RAW}. */
    LZ4,
    /** Brotli, at a level from 0 to 11; 1 is usual. */
    BROTLI
}
