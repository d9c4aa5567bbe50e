package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the guide is compiled, without flight-core on the class path, and run. */
class GuideTest {
    @TempDir
    Path folder;

    @Test
    void theExampleRuns() throws Exception {
        String guide = Files.readString(Path.of("../../docs/guide/parquet-java.md"));
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(guide);
        assertTrue(block.find());
        compile("Numbers", block.group(1));
        Path file = folder.resolve("numbers.parquet");
        String printed = run("Numbers", file.toString());
        assertEquals("ParquetSummary[rows=3000, rowGroups=1, bytes=" + Files.size(file) + "]\n", printed);
        assertEquals("4498500", Duck.cell(file, "SELECT sum(number) FROM FILE"));
    }

    /** Overloads with a type that is not on the class path could not be called. */
    @Test
    void everyCallCompilesWithoutFlight() throws Exception {
        compile("Calls", """
                import io.bowshot.parquet.*;
                class Calls {
                    static void all(org.apache.arrow.vector.ipc.ArrowReader reader, org.apache.arrow.vector.VectorSchemaRoot root,
                            java.nio.file.Path path) throws java.io.IOException {
                        ArrowParquetWriter.write(reader, path, ParquetWriterOptions.defaults());
                        ArrowParquetWriter.write(root, path, ParquetWriterOptions.defaults());
                        ArrowParquetWriter.write(root, null, path, ParquetWriterOptions.defaults());
                    }
                }
                """);
    }

    private void compile(String name, String source) throws Exception {
        Path file = folder.resolve(name + ".java");
        Files.writeString(file, source);
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(part -> !part.contains("flight-core"))
                .collect(Collectors.joining(File.pathSeparator));
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, words, words, "-cp", classPath, "-d", folder.toString(), file.toString());
        assertEquals(0, status, words.toString(StandardCharsets.UTF_8));
    }

    private String run(String name, String... arguments) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
