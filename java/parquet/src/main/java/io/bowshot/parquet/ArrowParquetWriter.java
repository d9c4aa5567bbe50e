package io.bowshot.parquet;

import io.bowshot.BowshotException;
import io.bowshot.border.Answer;
import io.bowshot.border.Texts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.arrow.c.ArrowArray;
import org.apache.arrow.c.ArrowSchema;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes Arrow vectors as a Parquet file, in native code: no value passes through a Java object.
 *
 * <p>All batches of a reader at once:
 *
 * <pre>{@code
 * ArrowParquetWriter.write(reader, Path.of("items.parquet"), ParquetWriterOptions.defaults());
 * }</pre>
 *
 * <p>Or one after the other. {@link #finish} is what makes the file: until then it has another name, and a writer that is closed before,
 * for an exception say, leaves nothing.
 *
 * <pre>{@code
 * try (ArrowParquetWriter writer = ArrowParquetWriter.open(path, root.getSchema(), options)) {
 *     while (fill(root)) {
 *         writer.write(root);
 *     }
 *     writer.finish();
 * }
 * }</pre>
 *
 * <p>Every value is written exactly, or refused by a {@link BowshotException} that names its column and row. At most one row group is in
 * memory, outside of the heap; the vectors' buffers are let go of when {@link #write(VectorSchemaRoot)} returns. A writer is used by one
 * thread at a time; writers of different files do not meet.
 */
public final class ArrowParquetWriter implements AutoCloseable {
    private final Schema schema;
    private final DictionaryProvider dictionaries;
    private final Handle handle;

    /** What was looked at last: the batches of one root have one schema. */
    private VectorSchemaRoot seen;

    private ArrowParquetWriter(Schema schema, DictionaryProvider dictionaries, Handle handle) {
        this.schema = schema;
        this.dictionaries = dictionaries;
        this.handle = handle;
    }

    /**
     * Begins a file of vectors that are not dictionary-encoded.
     *
     * @throws BowshotException where the path exists and is not to be replaced, the folder cannot be written to, or an option or a type
     *     is impossible
     */
    public static ArrowParquetWriter open(Path path, Schema schema, ParquetWriterOptions options) {
        return open(path, schema, null, options);
    }

    /**
     * Begins a file.
     *
     * @param dictionaries those of the schema's fields that are dictionary-encoded; null where there are none
     * @throws BowshotException as {@link #open(Path, Schema, ParquetWriterOptions)} does
     */
    public static ArrowParquetWriter open(
            Path path, Schema schema, DictionaryProvider dictionaries, ParquetWriterOptions options) {
        Texts request = new Texts().add(path.toAbsolutePath().toString());
        options.toMap().forEach((name, value) -> request.add(name).add(value));
        try (RootAllocator allocator = new RootAllocator();
                ArrowSchema exported = ArrowSchema.allocateNew(allocator)) {
            Data.exportSchema(allocator, schema, dictionaries, exported);
            try {
                long address = exported.memoryAddress();
                Answer answer = Answer.of(
                        Native::free, request, (at, texts, length) -> Native.open(at, texts, length, address));
                return new ArrowParquetWriter(schema, dictionaries, new Handle(answer.value()));
            } finally {
                exported.release();
            }
        }
    }

    /**
     * Writes all that a reader has left, and closes the file; the reader stays open.
     *
     * @throws BowshotException where the file cannot be written
     * @throws IOException where the reader fails; no file is left then
     */
    public static ParquetSummary write(ArrowReader reader, Path path, ParquetWriterOptions options) throws IOException {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        try (ArrowParquetWriter writer = open(path, root.getSchema(), reader, options)) {
            while (reader.loadNextBatch()) {
                writer.write(root);
            }
            return writer.finish();
        }
    }

    /**
     * Writes the rows of some vectors, none of them dictionary-encoded, as a file.
     *
     * @throws BowshotException where the file cannot be written
     */
    public static ParquetSummary write(VectorSchemaRoot root, Path path, ParquetWriterOptions options) {
        return write(root, null, path, options);
    }

    /**
     * Writes the rows of some vectors as a file.
     *
     * @param dictionaries those of the vectors that are dictionary-encoded; null where there are none
     * @throws BowshotException where the file cannot be written
     */
    public static ParquetSummary write(
            VectorSchemaRoot root, DictionaryProvider dictionaries, Path path, ParquetWriterOptions options) {
        try (ArrowParquetWriter writer = open(path, root.getSchema(), dictionaries, options)) {
            writer.write(root);
            return writer.finish();
        }
    }

    /** The schema that the writer was opened with. */
    public Schema schema() {
        return schema;
    }

    /**
     * Writes the rows of some vectors, which may be filled anew as soon as this returns.
     *
     * @return how many rows the file has so far
     * @throws BowshotException for vectors of another schema, a value that the file cannot hold, a disk that is full: the file is given
     *     up, and takes no more rows
     */
    public synchronized long write(VectorSchemaRoot root) {
        long writer = handle.number();
        try (RootAllocator own = new RootAllocator()) {
            // Buffers are lent within the family of their own allocator; vectors of type Null have none.
            BufferAllocator allocator = root.getFieldVectors().stream()
                    .map(FieldVector::getAllocator)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(own);
            return write(writer, root, allocator);
        }
    }

    private long write(long writer, VectorSchemaRoot root, BufferAllocator allocator) {
        boolean isKnown = root == seen;
        try (ArrowArray array = ArrowArray.allocateNew(allocator);
                ArrowSchema exported = ArrowSchema.allocateNew(allocator)) {
            try {
                Data.exportVectorSchemaRoot(allocator, root, dictionaries, array, isKnown ? null : exported);
                long address = isKnown ? 0 : exported.memoryAddress();
                Answer answer = Answer.of(Native::free, at -> Native.write(at, writer, array.memoryAddress(), address));
                seen = root;
                return answer.value();
            } finally {
                // The native side has released the array, where it got it.
                array.release();
                exported.release();
            }
        }
    }

    /**
     * Ends the file: it has its name from here on, and all of it is on the disk. A file of no rows is a valid one.
     *
     * @throws BowshotException where the disk fails or the path came to exist meanwhile; no file is left then
     */
    public synchronized ParquetSummary finish() {
        long writer = handle.number();
        handle.forget();
        Answer answer = Answer.of(Native::free, at -> Native.finish(at, writer));
        return new ParquetSummary(answer.value(), answer.number(0), answer.number(1));
    }

    /** Gives the file up: nothing of it is left, and a file that it would have replaced stays. */
    public synchronized void abort() {
        handle.abort();
    }

    /**
     * Lets go of the writer. A file that is not {@linkplain #finish finished} is given up.
     *
     * @throws BowshotException where neither {@link #finish} nor {@link #abort} was called: rows must not be lost in silence. After an
     *     exception, this one is its suppressed exception.
     */
    @Override
    public synchronized void close() {
        if (handle.abort()) {
            throw new BowshotException(
                    BowshotException.Kind.CONFIG,
                    "the Parquet writer was closed before its file was finished, and the file was given up\n"
                            + "  call finish() as the last statement of the try block, or abort()");
        }
    }
}
