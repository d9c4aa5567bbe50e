package io.bowshot.parquet;

import io.bowshot.BowshotException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How a file is written. What is not said has its default; values that make no sense are refused when a writer is opened, by an error
 * that names the option.
 *
 * <pre>{@code
 * ParquetWriterOptions options = ParquetWriterOptions.builder()
 *         .compression(Compression.ZSTD)
 *         .rowGroupRows(500_000)
 *         .bloomFilters("user_id")
 *         .build();
 * }</pre>
 */
public final class ParquetWriterOptions {
    private static final ParquetWriterOptions DEFAULTS = builder().build();

    private final Map<String, String> texts;

    private ParquetWriterOptions(Map<String, String> texts) {
        this.texts = Map.copyOf(texts);
    }

    /** The defaults: Snappy, row groups of 1,048,576 rows or 128 MiB, dictionaries where they help, bounds of pages; no file is replaced. */
    public static ParquetWriterOptions defaults() {
        return DEFAULTS;
    }

    /** Begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The options as names and values, as the native library knows them. */
    public Map<String, String> toMap() {
        return texts;
    }

    @Override
    public String toString() {
        return "ParquetWriterOptions" + texts;
    }

    /** Gathers options. */
    public static final class Builder {
        private final Map<String, String> texts = new LinkedHashMap<>();

        private Builder() {}

        /** The codec of all pages. Snappy by default. */
        public Builder compression(Compression codec) {
            return option("compression", name(codec));
        }

        /** The codec's level, for those that have some: see {@link Compression}. */
        public Builder compressionLevel(int level) {
            return option("compression_level", Integer.toString(level));
        }

        /** At most this many rows in a row group. 1,048,576 by default. */
        public Builder rowGroupRows(long rows) {
            return option("row_group_rows", Long.toString(rows));
        }

        /**
         * A row group ends once it takes about this many bytes in the file: 128 MiB by default, and 64 KiB or more. This is what bounds
         * the writer's memory.
         */
        public Builder rowGroupBytes(long bytes) {
            return option("row_group_bytes", Long.toString(bytes));
        }

        /** A page ends at about this many bytes before compression. 1 MiB by default. */
        public Builder pageBytes(long bytes) {
            return option("page_bytes", Long.toString(bytes));
        }

        /** At most about this many rows in a page. 20,000 by default. */
        public Builder pageRows(long rows) {
            return option("page_rows", Long.toString(rows));
        }

        /** The version of data pages: 1, which every reader knows, by default, or 2. */
        public Builder pageVersion(int version) {
            return option("page_version", Integer.toString(version));
        }

        /**
         * Whether all columns begin with dictionaries, or none. By default those do whose first rows show that it makes them smaller.
         */
        public Builder dictionary(boolean wanted) {
            return option("dictionary", Boolean.toString(wanted));
        }

        /**
         * The columns that begin with dictionaries; the others have none. A column inside of another is named by its path in the file,
         * {@code lines.list.element.price}.
         */
        public Builder dictionaries(String... columns) {
            return option("dictionary", columns.length == 0 ? "false" : names("a dictionary", columns));
        }

        /** A column goes on without a dictionary once this takes more bytes. 1 MiB by default. */
        public Builder dictionaryBytes(long bytes) {
            return option("dictionary_bytes", Long.toString(bytes));
        }

        /** How much is said of the values' bounds. {@link Statistics#PAGE} by default. */
        public Builder statistics(Statistics statistics) {
            return option("statistics", name(statistics));
        }

        /**
         * Bloom filters for these columns. None have one by default. A column inside of another is named by its path in the file,
         * {@code lines.list.element.price}.
         */
        public Builder bloomFilters(String... columns) {
            return option("bloom_filters", columns.length == 0 ? "none" : names("a Bloom filter", columns));
        }

        /** Bloom filters for all columns. */
        public Builder bloomFiltersForAll() {
            return option("bloom_filters", "all");
        }

        /** How often a Bloom filter may be wrong, between 0 and 1. 0.01 by default. */
        public Builder bloomFilterFpp(double probability) {
            return option("bloom_filter_fpp", Double.toString(probability));
        }

        /** How many distinct values of a row group a Bloom filter is made for. As many as it has rows by default, at most 1,048,576. */
        public Builder bloomFilterValues(long values) {
            return option("bloom_filter_values", Long.toString(values));
        }

        /** Whether the file keeps the Arrow schema beside Parquet's. It does by default; durations need it. */
        public Builder arrowSchema(boolean wanted) {
            return option("arrow_schema", Boolean.toString(wanted));
        }

        /** What intervals become. {@link Intervals#PARQUET} by default. */
        public Builder intervals(Intervals intervals) {
            return option("intervals", name(intervals));
        }

        /** One more key and value for the file's footer. */
        public Builder metadata(String key, String value) {
            return option("metadata." + key, value);
        }

        /** Whether a file of the same name is replaced. It is an error by default. */
        public Builder overwrite(boolean wanted) {
            return option("overwrite", Boolean.toString(wanted));
        }

        /** An option by the name and the text that {@link #toMap} has. */
        public Builder option(String name, String value) {
            texts.put(name, value);
            return this;
        }

        /** The options. */
        public ParquetWriterOptions build() {
            return new ParquetWriterOptions(texts);
        }

        private static String names(String what, String... columns) {
            for (String column : columns) {
                if (column.contains(",")) {
                    throw new BowshotException(
                            BowshotException.Kind.CONFIG,
                            what + " cannot be asked for the column \"" + column
                                    + "\", whose name has a comma\n  rename the column, or ask for all columns",
                            column,
                            "");
                }
            }
            return String.join(",", columns);
        }

        private static String name(Enum<?> choice) {
            return choice.name().toLowerCase(Locale.ROOT);
        }
    }
}
