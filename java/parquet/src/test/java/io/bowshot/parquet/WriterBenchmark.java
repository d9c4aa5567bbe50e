package io.bowshot.parquet;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** Writes the batches of an Arrow stream from memory, some times, and prints each time's CPU seconds: for bench/java_writer. After
 * the stream, the file and the number of times come names and values of options. */
final class WriterBenchmark {
    private WriterBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ParquetWriterOptions.Builder builder = ParquetWriterOptions.builder().overwrite(true);
        for (int argument = 3; argument + 1 < arguments.length; argument += 2) {
            builder.option(arguments[argument], arguments[argument + 1]);
        }
        ParquetWriterOptions options = builder.build();
        try (RootAllocator allocator = new RootAllocator();
                InputStream stream = new BufferedInputStream(Files.newInputStream(Path.of(arguments[0])));
                ArrowStreamReader reader = new ArrowStreamReader(stream, allocator)) {
            List<VectorSchemaRoot> roots = batches(reader, allocator);
            // The first time is the JVM's own.
            for (int round = 0; round <= Integer.parseInt(arguments[2]); round++) {
                long before = system.getProcessCpuTime();
                write(roots, Path.of(arguments[1]), options);
                if (round > 0) {
                    System.out.println((system.getProcessCpuTime() - before) / 1e9);
                }
            }
            roots.forEach(VectorSchemaRoot::close);
        }
    }

    private static void write(List<VectorSchemaRoot> roots, Path file, ParquetWriterOptions options) {
        try (ArrowParquetWriter writer =
                ArrowParquetWriter.open(file, roots.get(0).getSchema(), options)) {
            roots.forEach(writer::write);
            writer.finish();
        }
    }

    private static List<VectorSchemaRoot> batches(ArrowStreamReader reader, RootAllocator allocator)
            throws IOException {
        List<VectorSchemaRoot> roots = new ArrayList<>();
        while (reader.loadNextBatch()) {
            VectorSchemaRoot root =
                    VectorSchemaRoot.create(reader.getVectorSchemaRoot().getSchema(), allocator);
            try (ArrowRecordBatch batch = new VectorUnloader(reader.getVectorSchemaRoot()).getRecordBatch()) {
                new VectorLoader(root).load(batch);
            }
            roots.add(root);
        }
        return roots;
    }
}
