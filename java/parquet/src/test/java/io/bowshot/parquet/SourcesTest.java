package io.bowshot.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers, Flight streams and vectors with dictionaries. */
class SourcesTest {
    private static final List<String> WORDS = Arrays.asList("one", "two", null, "one", "three", "two");

    @TempDir
    Path folder;

    private static VarCharVector texts(BufferAllocator allocator, List<String> texts) {
        VarCharVector vector = new VarCharVector("word", allocator);
        for (int row = 0; row < texts.size(); row++) {
            if (texts.get(row) != null) {
                vector.setSafe(row, texts.get(row).getBytes(StandardCharsets.UTF_8));
            }
        }
        vector.setValueCount(texts.size());
        return vector;
    }

    /** Words as a dictionary-encoded vector. */
    private static final class Words implements AutoCloseable {
        final MapDictionaryProvider provider = new MapDictionaryProvider();
        final VarCharVector values;
        final FieldVector encoded;
        final VectorSchemaRoot root;

        Words(BufferAllocator allocator) {
            values = texts(allocator, List.of("one", "two", "three"));
            Dictionary dictionary = new Dictionary(values, new DictionaryEncoding(7, false, null));
            provider.put(dictionary);
            try (VarCharVector plain = texts(allocator, WORDS)) {
                encoded = (FieldVector) DictionaryEncoder.encode(plain, dictionary);
            }
            root = VectorSchemaRoot.of(encoded);
        }

        @Override
        public void close() {
            root.close();
            values.close();
        }
    }

    private void check(Path file, int times) {
        List<String> expected = new java.util.ArrayList<>();
        for (int time = 0; time < times; time++) {
            expected.addAll(WORDS);
        }
        assertEquals(expected, Duck.column(file, "SELECT word FROM FILE"));
    }

    @Test
    void vectorsWithDictionaries() {
        Path file = folder.resolve("a.parquet");
        try (RootAllocator allocator = new RootAllocator();
                Words words = new Words(allocator)) {
            ArrowParquetWriter.write(words.root, words.provider, file, ParquetWriterOptions.defaults());
        }
        check(file, 1);
    }

    private static byte[] stream(BufferAllocator allocator, int batches) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Words words = new Words(allocator);
                ArrowStreamWriter writer = new ArrowStreamWriter(words.root, words.provider, bytes)) {
            for (int batch = 0; batch < batches; batch++) {
                writer.writeBatch();
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void aReaderIsWrittenToItsEnd() throws IOException {
        Path file = folder.resolve("a.parquet");
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader =
                        new ArrowStreamReader(new ByteArrayInputStream(stream(allocator, 3)), allocator)) {
            ParquetSummary summary = ArrowParquetWriter.write(reader, file, ParquetWriterOptions.defaults());
            assertEquals(18, summary.rows());
        }
        check(file, 3);
    }

    @Test
    void aReaderThatBreaksLeavesNothing() throws IOException {
        try (RootAllocator allocator = new RootAllocator()) {
            byte[] whole = stream(allocator, 3);
            byte[] half = Arrays.copyOf(whole, whole.length - 100);
            try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(half), allocator)) {
                Path file = folder.resolve("a.parquet");
                assertThrows(
                        IOException.class,
                        () -> ArrowParquetWriter.write(reader, file, ParquetWriterOptions.defaults()));
            }
        }
        assertEquals(List.of(), Roots.names(folder));
    }

    /** Streams words, or an error after some of them. */
    private static final class Producer extends NoOpFlightProducer {
        private final BufferAllocator allocator;

        Producer(BufferAllocator allocator) {
            this.allocator = allocator;
        }

        @Override
        public void getStream(FlightProducer.CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (Words words = new Words(allocator)) {
                listener.start(words.root, words.provider);
                listener.putNext();
                listener.putNext();
                if (new String(ticket.getBytes(), StandardCharsets.UTF_8).equals("broken")) {
                    listener.error(new IllegalStateException("no more"));
                } else {
                    listener.completed();
                }
            }
        }
    }

    @Test
    void aFlightStreamIsWrittenToItsEndOrNotAtAll() throws Exception {
        Path file = folder.resolve("a.parquet");
        try (RootAllocator allocator = new RootAllocator();
                FlightServer server = FlightServer.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Producer(allocator))
                        .build()
                        .start();
                FlightClient client =
                        FlightClient.builder(allocator, server.getLocation()).build()) {
            Ticket broken = new Ticket("broken".getBytes(StandardCharsets.UTF_8));
            try (FlightStream stream = client.getStream(broken)) {
                assertThrows(
                        FlightRuntimeException.class,
                        () -> FlightParquetWriter.write(stream, file, ParquetWriterOptions.defaults()));
            }
            assertEquals(List.of(), Roots.names(folder));
            try (FlightStream stream = client.getStream(new Ticket(new byte[0]))) {
                assertEquals(
                        12,
                        FlightParquetWriter.write(stream, file, ParquetWriterOptions.defaults())
                                .rows());
            }
        }
        check(file, 2);
    }
}
