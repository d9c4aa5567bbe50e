package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.bowshot.BowshotException;
import io.bowshot.BowshotException.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is whole or not there, and errors say what was wrong. */
class FilesTest {
    @TempDir
    Path folder;

    private Path file;
    private RootAllocator allocator;
    private VectorSchemaRoot root;

    @BeforeEach
    void vectors() {
        file = folder.resolve("ä b.parquet");
        allocator = new RootAllocator();
        root = Roots.create(allocator);
        Roots.fill(root, 0, 100);
    }

    /** Closing the allocator fails where a byte is not given back. */
    @AfterEach
    void everythingIsGivenBack() {
        root.close();
        assertEquals(0, allocator.getAllocatedMemory());
        allocator.close();
    }

    private ArrowParquetWriter open(ParquetWriterOptions options) {
        return ArrowParquetWriter.open(file, Roots.SCHEMA, options);
    }

    private ArrowParquetWriter open() {
        return open(ParquetWriterOptions.defaults());
    }

    @Test
    void batchesFollowEachOther() {
        try (ArrowParquetWriter writer = open()) {
            assertEquals(100, writer.write(root));
            Roots.fill(root, 100, 50);
            assertEquals(150, writer.write(root));
            assertTrue(Files.notExists(file));
            ParquetSummary summary = writer.finish();
            assertEquals(new ParquetSummary(150, 1, file.toFile().length()), summary);
        }
        assertEquals(List.of("ä b.parquet"), Roots.names(folder));
        assertEquals(
                List.of(List.of("150", "11175", "text 9")),
                Duck.rows(file, "SELECT count(*), sum(n), max(t) FROM FILE"));
        assertEquals("0", Duck.cell(file, "SELECT count(*) FROM FILE WHERE t <> 'text ' || (n % 10)"));
    }

    @Test
    void aFileOfNoRowsIsValid() {
        try (ArrowParquetWriter writer = open()) {
            ParquetSummary summary = writer.finish();
            assertEquals(new ParquetSummary(0, 0, file.toFile().length()), summary);
        }
        assertEquals("0", Duck.cell(file, "SELECT count(*) FROM FILE"));
    }

    @Test
    void anExceptionOnTheWayLeavesNothing() {
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> {
            try (ArrowParquetWriter writer = open()) {
                writer.write(root);
                assertEquals(1, Roots.names(folder).size());
                throw new IllegalStateException("the source broke");
            }
        });
        assertEquals(1, thrown.getSuppressed().length);
        assertEquals(List.of(), Roots.names(folder));
    }

    @Test
    void aFileThatIsNotFinishedIsGivenUpLoudly() {
        ArrowParquetWriter writer = open();
        writer.write(root);
        BowshotException error = assertThrows(BowshotException.class, writer::close);
        assertTrue(error.getMessage().contains("finish()"), error.getMessage());
        assertEquals(List.of(), Roots.names(folder));
        writer.close();
    }

    @Test
    void anAbortedFileIsGoneAndTheWriterIsClosed() {
        try (ArrowParquetWriter writer = open()) {
            writer.write(root);
            writer.abort();
            assertEquals(List.of(), Roots.names(folder));
            assertEquals(
                    Kind.CONFIG,
                    assertThrows(BowshotException.class, () -> writer.write(root))
                            .kind());
            assertEquals(
                    Kind.CONFIG,
                    assertThrows(BowshotException.class, writer::finish).kind());
        }
    }

    @Test
    void aFileIsReplacedOnlyWhereThatIsSaid() throws Exception {
        Files.writeString(file, "old");
        BowshotException error = assertThrows(BowshotException.class, this::open);
        assertEquals(Kind.IO, error.kind());
        assertTrue(error.getMessage().contains("exists already")
                && error.getMessage().contains("overwrite=true"));
        ParquetWriterOptions options =
                ParquetWriterOptions.builder().overwrite(true).build();
        try (ArrowParquetWriter writer = open(options)) {
            writer.write(root);
            writer.abort();
        }
        assertEquals("old", Files.readString(file));
        ArrowParquetWriter.write(root, file, options);
        assertEquals("100", Duck.cell(file, "SELECT count(*) FROM FILE"));
    }

    @Test
    void aFolderThatCannotBeWrittenToIsTold() {
        for (Path path : List.of(
                folder.resolve("missing/a.parquet"), Path.of("/dev/null/a.parquet"), folder, Path.of("/dev/full"))) {
            BowshotException error = assertThrows(
                    BowshotException.class,
                    () -> ArrowParquetWriter.write(root, path, ParquetWriterOptions.defaults()));
            assertEquals(Kind.IO, error.kind(), error.getMessage());
            assertTrue(error.getMessage().contains(path.toString()), error.getMessage());
        }
        assertEquals(List.of(), Roots.names(folder));
    }

    @Test
    void vectorsOfAnotherSchemaAreRefused() {
        Schema other = new Schema(List.of(
                Field.nullable("n", new ArrowType.Utf8()),
                Roots.SCHEMA.getFields().get(1)));
        try (VectorSchemaRoot texts = VectorSchemaRoot.create(other, allocator);
                ArrowParquetWriter writer = open()) {
            writer.write(root);
            texts.allocateNew();
            texts.setRowCount(1);
            BowshotException error = assertThrows(BowshotException.class, () -> writer.write(texts));
            assertEquals(Kind.VALUE, error.kind());
            assertEquals("n", error.column());
            assertTrue(error.getMessage().contains("\"n\" (utf8), the file \"n\" (int64)"), error.getMessage());
            assertEquals(List.of(), Roots.names(folder));
            writer.abort();
        }
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        ((VarCharVector) root.getVector("t")).setSafe(7, new byte[] {'a', -1});
        BowshotException error = assertThrows(
                BowshotException.class, () -> ArrowParquetWriter.write(root, file, ParquetWriterOptions.defaults()));
        assertEquals(Kind.VALUE, error.kind());
        assertEquals("t", error.column());
        assertTrue(
                error.getMessage().contains("not UTF-8") && error.getMessage().contains("index 7"), error.getMessage());
        assertEquals(List.of(), Roots.names(folder));
    }

    @Test
    void aNullThatMustNotBeIsRefused() {
        Schema schema = new Schema(List.of(Field.notNullable("n", new ArrowType.Int(64, true))));
        try (VectorSchemaRoot numbers = VectorSchemaRoot.create(schema, allocator)) {
            ((BigIntVector) numbers.getVector(0)).setSafe(0, 1);
            numbers.setRowCount(2);
            BowshotException error = assertThrows(
                    BowshotException.class,
                    () -> ArrowParquetWriter.write(numbers, file, ParquetWriterOptions.defaults()));
            assertTrue(
                    error.getMessage().contains("\"n\" (int64) holds NULL")
                            && error.getMessage().contains("row 1"),
                    error.getMessage());
        }
    }

    @Test
    void aTypeThatParquetLacksIsRefusedByItsColumn() {
        for (UnionMode mode : UnionMode.values()) {
            Field union = new Field(
                    "u",
                    FieldType.nullable(new ArrowType.Union(mode, new int[] {0})),
                    List.of(Field.nullable("i", new ArrowType.Int(32, true))));
            BowshotException error = assertThrows(
                    BowshotException.class,
                    () -> ArrowParquetWriter.open(file, new Schema(List.of(union)), ParquetWriterOptions.defaults()));
            assertEquals(Kind.UNSUPPORTED, error.kind());
            assertEquals("u", error.column());
            assertTrue(error.getMessage().contains("has no unions"), error.getMessage());
        }
        BowshotException error = assertThrows(
                BowshotException.class,
                () -> ArrowParquetWriter.open(file, new Schema(List.of()), ParquetWriterOptions.defaults()));
        assertTrue(error.getMessage().contains("no columns"), error.getMessage());
    }

    @Test
    void aWriterThatNobodyKnowsAnyMoreGivesItsFileUp() throws Exception {
        open().write(root);
        for (int tries = 0; tries < 100 && !Roots.names(folder).isEmpty(); tries++) {
            System.gc();
            Thread.sleep(20);
        }
        assertEquals(List.of(), Roots.names(folder));
    }
}
