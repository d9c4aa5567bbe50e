package io.bowshot.parquet;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Vectors of numbers and texts. */
final class Roots {
    static final Schema SCHEMA = new Schema(
            List.of(Field.nullable("n", new ArrowType.Int(64, true)), Field.nullable("t", new ArrowType.Utf8())));

    private Roots() {}

    /** Empty vectors of the schema. */
    static VectorSchemaRoot create(BufferAllocator allocator) {
        return VectorSchemaRoot.create(SCHEMA, allocator);
    }

    /** Fills them with the numbers from one on, and one of ten texts each. */
    static void fill(VectorSchemaRoot root, long first, int rows) {
        BigIntVector numbers = (BigIntVector) root.getVector("n");
        VarCharVector texts = (VarCharVector) root.getVector("t");
        numbers.allocateNew(rows);
        texts.allocateNew(rows);
        for (int row = 0; row < rows; row++) {
            numbers.set(row, first + row);
            texts.setSafe(row, ("text " + (first + row) % 10).getBytes(StandardCharsets.UTF_8));
        }
        root.setRowCount(rows);
    }

    /** The names of the files in a folder. */
    static List<String> names(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (java.io.IOException error) {
            throw new AssertionError(error);
        }
    }
}
