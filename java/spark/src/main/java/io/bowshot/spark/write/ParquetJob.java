package io.bowshot.spark.write;

import io.bowshot.BowshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;

/**
 * A write on the driver. Tasks write into a {@linkplain Staging hidden folder} inside of the target; the commit renames their files into their places,
 * and then removes what was there before. A write that fails leaves what was there, and nothing else.
 */
final class ParquetJob implements BatchWrite {
    private final Target target;
    private final StructType schema;
    private final List<String> partitions;
    private final boolean isOverwrite;
    private final String id = UUID.randomUUID().toString();
    private final Staging staging;

    ParquetJob(Target target, StructType schema, List<String> partitions, boolean isOverwrite) {
        this.target = target;
        this.schema = schema;
        this.partitions = partitions;
        this.isOverwrite = isOverwrite;
        staging = new Staging(target.path(), id);
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        if (Files.exists(target.path()) && !Files.isDirectory(target.path())) {
            throw new BowshotException(
                    BowshotException.Kind.IO, target.folder() + " is a file\n  name a folder to write files into");
        }
        TreeMap<String, String> options = new TreeMap<>(target.options());
        // By these Spark's own reader knows types that Parquet has not, and the calendar of dates.
        options.putIfAbsent("metadata.org.apache.spark.version", org.apache.spark.package$.MODULE$.SPARK_VERSION());
        options.putIfAbsent("metadata.org.apache.spark.sql.parquet.row.metadata", schema.json());
        Plan plan = new Plan(staging.folder().toString(), id, options, schema, partitions);
        staging.create();
        try {
            // Options and types that cannot be are found before any task runs.
            new ParquetFile(staging.folder().resolve("check.parquet"), plan).abort();
        } catch (RuntimeException error) {
            staging.remove();
            throw error;
        }
        return new Tasks(plan);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        List<Path> old = isOverwrite ? old() : List.of();
        List<Path[]> moves = new ArrayList<>();
        for (WriterCommitMessage message : messages) {
            if (message instanceof TaskFiles files) {
                Path task = staging.folder().resolve(files.task());
                for (String file : files.files()) {
                    moves.add(new Path[] {task.resolve(file), target.path().resolve(file)});
                }
            }
        }
        staging.move(moves);
        // From here on the new files are complete and seen.
        staging.discard(old);
        staging.finish();
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        staging.remove();
    }

    private List<Path> old() {
        try (Stream<Path> entries = Files.list(target.path())) {
            return entries.filter(entry -> !Staging.isStaging(entry)).toList();
        } catch (IOException error) {
            throw Staging.failed(target.path(), error);
        }
    }
}
