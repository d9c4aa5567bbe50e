package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.bowshot.BowshotException;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What each option does, as another reader sees it in the footer. */
class OptionsTest {
    @TempDir
    Path folder;

    private Path written(ParquetWriterOptions options) {
        Path file = folder.resolve("a.parquet");
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = Roots.create(allocator)) {
            Roots.fill(root, 0, 5000);
            ArrowParquetWriter.write(root, file, options);
        }
        assertEquals("12497500", Duck.cell(file, "SELECT sum(n) FROM FILE"));
        assertEquals("0", Duck.cell(file, "SELECT count(*) FROM FILE WHERE t <> 'text ' || (n % 10)"));
        return file;
    }

    private static ParquetWriterOptions.Builder options() {
        return ParquetWriterOptions.builder();
    }

    private static List<String> metadata(Path file, String column) {
        return Duck.column(file, "SELECT " + column + " FROM parquet_metadata(FILE)");
    }

    @ParameterizedTest
    @EnumSource
    void everyCodecIsUsed(Compression codec) {
        Path file = written(options().compression(codec).build());
        String expected =
                codec == Compression.NONE ? "UNCOMPRESSED" : codec == Compression.LZ4 ? "LZ4_RAW" : codec.name();
        assertEquals(List.of(expected, expected), metadata(file, "compression"));
    }

    @Test
    void rowGroupsEndAtTheirRows() {
        Path file = written(options().rowGroupRows(2000).build());
        assertEquals(
                List.of("2000", "2000", "1000"),
                metadata(
                        file,
                        "row_group_num_rows || '' FROM (SELECT * FROM parquet_metadata(FILE) WHERE column_id = 0) --"));
    }

    @Test
    void dictionariesCanBeLeftOut() {
        Path with = written(options().build());
        assertTrue(metadata(with, "encodings").get(1).contains("DICTIONARY"));
        Path without = written(options().dictionary(false).overwrite(true).build());
        assertEquals(
                List.of("PLAIN", "PLAIN"),
                metadata(without, "replace(replace(replace(encodings, 'RLE', ''), ',', ''), ' ', '')"));
    }

    @Test
    void dictionariesCanBelongToSomeColumns() {
        Path file = written(options().dictionaries("t").build());
        assertTrue(!metadata(file, "encodings").get(0).contains("DICTIONARY"));
        assertTrue(metadata(file, "encodings").get(1).contains("DICTIONARY"));
    }

    @ParameterizedTest
    @CsvSource({"NONE,", "CHUNK,4999", "PAGE,4999"})
    void statisticsAreAsFineAsAsked(Statistics statistics, String most) {
        Path file = written(options().statistics(statistics).build());
        assertEquals(most, metadata(file, "stats_max_value").get(0));
    }

    @Test
    void bloomFiltersBelongToTheirColumns() {
        Path file = written(options()
                .bloomFilters("n")
                .bloomFilterFpp(0.001)
                .bloomFilterValues(5000)
                .build());
        assertEquals(List.of("true", "false"), metadata(file, "(bloom_filter_offset IS NOT NULL)::VARCHAR"));
        assertEquals(
                "true",
                Duck.cell(
                        file, "SELECT bloom_filter_excludes::VARCHAR FROM parquet_bloom_probe(FILE, 'n', 123456789)"));
        assertEquals(
                "false",
                Duck.cell(file, "SELECT bloom_filter_excludes::VARCHAR FROM parquet_bloom_probe(FILE, 'n', 7)"));
        Path all = written(options().bloomFiltersForAll().overwrite(true).build());
        assertEquals(List.of("true", "true"), metadata(all, "(bloom_filter_offset IS NOT NULL)::VARCHAR"));
    }

    @Test
    void theFooterNamesItsWriterAndHoldsTheUsersKeys() {
        Path file = written(
                options().metadata("owner", "me & you").arrowSchema(false).build());
        assertTrue(Duck.cell(file, "SELECT created_by FROM parquet_file_metadata(FILE)")
                .startsWith("bowshot version "));
        assertEquals(
                List.of(List.of("owner", "me & you")),
                Duck.rows(file, "SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata(FILE)"));
        Path usual = written(options().overwrite(true).build());
        assertEquals(List.of("ARROW:schema"), Duck.column(usual, "SELECT key::VARCHAR FROM parquet_kv_metadata(FILE)"));
    }

    @Test
    void intervalsCanBeStructs() {
        Path file = folder.resolve("a.parquet");
        Schema schema = new Schema(List.of(Field.nullable("c", new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO))));
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
            ((IntervalMonthDayNanoVector) root.getVector(0)).setSafe(0, -1, 2, -3);
            root.setRowCount(2);
            BowshotException error = assertThrows(
                    BowshotException.class,
                    () -> ArrowParquetWriter.write(root, file, ParquetWriterOptions.defaults()));
            assertTrue(error.getMessage().contains("intervals=struct"), error.getMessage());
            ArrowParquetWriter.write(
                    root, file, options().intervals(Intervals.STRUCT).build());
        }
        assertEquals("{'months': -1, 'days': 2, 'nanoseconds': -3}", Duck.cell(file, "SELECT c::VARCHAR FROM FILE"));
    }

    @ParameterizedTest
    @CsvSource({
        "compression,zip,'none, snappy, gzip, zstd, lz4 or brotli'",
        "row_group_rows,0,1 or more",
        "row_group_bytes,1,65536 or more",
        "statistics,some,none or chunk or page",
        "bloom_filters,x,'n, t'",
        "speed,high,compression_level",
    })
    void badOptionsAreNamedWithTheirValuesAndWhatIsRight(String name, String value, String right) {
        BowshotException error = assertThrows(
                BowshotException.class,
                () -> written(options().option(name, value).build()));
        assertEquals(BowshotException.Kind.CONFIG, error.kind());
        assertTrue(error.getMessage().contains(name), error.getMessage());
        assertTrue(error.getMessage().contains(value) || name.equals("speed"), error.getMessage());
        assertTrue(error.getMessage().contains(right), error.getMessage());
        assertEquals(List.of(), Roots.names(folder));
    }

    @Test
    void levelsBelongToTheirCodecs() {
        written(options().compression(Compression.ZSTD).compressionLevel(19).build());
        BowshotException error = assertThrows(
                BowshotException.class,
                () -> written(options().compressionLevel(19).overwrite(true).build()));
        assertTrue(error.getMessage().contains("snappy has no levels"), error.getMessage());
        assertThrows(BowshotException.class, () -> options().bloomFilters("a,b"));
        assertEquals(
                "ParquetWriterOptions{page_rows=5}",
                options().pageRows(5).build().toString());
    }

    @Test
    void pagesAreAsLargeAsAsked() {
        Path few = written(options().dictionary(false).build());
        String small = metadata(few, "total_compressed_size").get(0);
        Path many = written(options()
                .dictionary(false)
                .pageBytes(1024)
                .pageRows(100)
                .pageVersion(2)
                .dictionaryBytes(2048)
                .overwrite(true)
                .build());
        // Each page has a header.
        assertTrue(Long.parseLong(metadata(many, "total_compressed_size").get(0)) != Long.parseLong(small));
        assertTrue(
                metadata(many, "encodings").get(0).contains("DELTA_BINARY_PACKED"),
                metadata(many, "encodings").get(0));
    }
}
