package io.bowshot.parquet;

/**
 * What a finished file holds.
 *
 * @param rows rows of the whole file
 * @param rowGroups row groups, each of one row or more
 * @param bytes the file's size
 */
public record ParquetSummary(long rows, long rowGroups, long bytes) {}
