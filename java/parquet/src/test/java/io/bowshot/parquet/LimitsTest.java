package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory, threads, and a disk that fills up. */
class LimitsTest {
    private static final int ROWS = 50_000;

    @TempDir
    Path folder;

    @Test
    void memoryStaysFlatOverManyBatches() throws Exception {
        Path file = folder.resolve("a.parquet");
        ParquetWriterOptions options =
                ParquetWriterOptions.builder().rowGroupBytes(1 << 20).build();
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = Roots.create(allocator);
                ArrowParquetWriter writer = ArrowParquetWriter.open(file, Roots.SCHEMA, options)) {
            Roots.fill(root, 0, ROWS);
            long vectors = allocator.getAllocatedMemory();
            long early = 0;
            for (int batch = 0; batch < 200; batch++) {
                assertEquals((batch + 1L) * ROWS, writer.write(root));
                assertEquals(vectors, allocator.getAllocatedMemory());
                if (batch == 40) {
                    early = resident();
                }
            }
            long grown = resident() - early;
            assertTrue(grown < 32 << 20, grown + " bytes more");
            assertTrue(writer.finish().rowGroups() > 10);
            root.close();
            assertEquals(0, allocator.getAllocatedMemory());
        }
        assertEquals(Long.toString(200L * ROWS), Duck.cell(file, "SELECT count(*) FROM FILE"));
    }

    /** The process's resident memory in bytes. */
    private static long resident() throws Exception {
        String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[1];
        return Long.parseLong(pages) * 4096;
    }

    @Test
    void writersInThreadsDoNotMeet() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (RootAllocator allocator = new RootAllocator()) {
            List<Callable<Path>> tasks = IntStream.range(0, 2)
                    .mapToObj(number -> (Callable<Path>) () -> {
                        Path file = folder.resolve(number + ".parquet");
                        try (VectorSchemaRoot root = Roots.create(allocator);
                                ArrowParquetWriter writer =
                                        ArrowParquetWriter.open(file, Roots.SCHEMA, ParquetWriterOptions.defaults())) {
                            for (int batch = 0; batch < 20; batch++) {
                                Roots.fill(root, number * 1_000_000L + batch * 1000L, 1000);
                                writer.write(root);
                            }
                            writer.finish();
                        }
                        return file;
                    })
                    .toList();
            List<Future<Path>> files = threads.invokeAll(tasks);
            for (int number = 0; number < 2; number++) {
                long first = number * 1_000_000L;
                assertEquals(
                        List.of(List.of("20000", Long.toString(first), Long.toString(first + 19_999), "20000")),
                        Duck.rows(
                                files.get(number).get(),
                                "SELECT count(*), min(n), max(n), count(DISTINCT n) FROM FILE"));
            }
        } finally {
            threads.shutdown();
        }
    }

    /** In a process whose files may have 100 KiB, and whose class path lacks flight-core. */
    @Test
    void aDiskThatFillsUpIsAnErrorAndLeavesNothing() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(part -> !part.contains("flight-core"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        FullDisk.class.getName(),
                        folder.resolve("a.parquet").toString())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), printed);
        assertTrue(
                printed.contains("IO: ") && printed.contains("File too large") && printed.contains("free some space"),
                printed);
        assertEquals(List.of(), Roots.names(folder));
    }
}
