package io.bowshot.parquet;

/** What intervals become. */
public enum Intervals {
    /** Parquet's INTERVAL: months, days and milliseconds without a sign. Values that it cannot hold are errors. */
    PARQUET,
    /** A struct of months and days (int32) and nanoseconds (int64), which holds every interval. */
    STRUCT
}
