package io.bowshot.parquet;

import io.bowshot.BowshotException;
import java.nio.file.Path;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Writes more than its process may; prints the error. */
final class FullDisk {
    private FullDisk() {}

    public static void main(String[] arguments) throws Exception {
        ParquetWriterOptions options = ParquetWriterOptions.builder()
                .compression(Compression.NONE)
                .dictionary(false)
                .build();
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = Roots.create(allocator)) {
            Roots.fill(root, 0, 100_000);
            Path file = Path.of(arguments[0]);
            // Both native libraries are unpacked before files are limited to 100 KiB.
            ArrowParquetWriter.open(file, Roots.SCHEMA, options).abort();
            String process = Long.toString(ProcessHandle.current().pid());
            new ProcessBuilder("prlimit", "--pid", process, "--fsize=102400")
                    .inheritIO()
                    .start()
                    .waitFor();
            try {
                ArrowParquetWriter.write(root, file, options);
            } catch (BowshotException error) {
                System.out.println(error.kind() + ": " + error.getMessage());
            }
        }
    }
}
