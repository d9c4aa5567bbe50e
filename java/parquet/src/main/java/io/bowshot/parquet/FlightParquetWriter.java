package io.bowshot.parquet;

import io.bowshot.BowshotException;
import java.nio.file.Path;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Writes the results of Arrow Flight as Parquet files. It is a class of its own so that {@link ArrowParquetWriter} can be compiled against
 * without flight-core.
 *
 * <pre>{@code
 * try (FlightStream stream = client.getStream(ticket)) {
 *     FlightParquetWriter.write(stream, Path.of("items.parquet"), ParquetWriterOptions.defaults());
 * }
 * }</pre>
 */
public final class FlightParquetWriter {
    private FlightParquetWriter() {}

    /**
     * Writes all that a stream has left, and closes the file; the stream stays open.
     *
     * @throws BowshotException where the file cannot be written
     * @throws org.apache.arrow.flight.FlightRuntimeException where the stream fails; no file is left then
     */
    public static ParquetSummary write(FlightStream stream, Path path, ParquetWriterOptions options) {
        VectorSchemaRoot root = stream.getRoot();
        try (ArrowParquetWriter writer =
                ArrowParquetWriter.open(path, root.getSchema(), stream.getDictionaryProvider(), options)) {
            while (stream.next()) {
                writer.write(root);
            }
            return writer.finish();
        }
    }
}
