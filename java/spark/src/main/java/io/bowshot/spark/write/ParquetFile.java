package io.bowshot.spark.write;

import io.bowshot.border.Answer;
import io.bowshot.border.Texts;
import io.bowshot.spark.write.columns.ArrowSchema;
import io.bowshot.spark.write.columns.RowBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** A Parquet file that native code writes, batch by batch; it ends by {@link #finish} or {@link #abort}. */
final class ParquetFile {
    private static final long ARRAY_CALLBACK =
            Native.answer(Native::arrayCallback).value();
    private static final long SCHEMA_CALLBACK =
            Native.answer(Native::schemaCallback).value();

    private final Plan plan;
    private final long writer;
    /** The batch that rows go to, and those that native code may still have. */
    private final List<RowBatch> batches = new ArrayList<>();

    private RowBatch batch;

    ParquetFile(Path path, Plan plan) {
        this.plan = plan;
        Texts request = new Texts().add(path.toString());
        plan.options().forEach((name, value) -> request.add(name).add(value));
        try (ArrowSchema schema = new ArrowSchema(plan.schema(), SCHEMA_CALLBACK)) {
            writer = Answer.of(
                            Native::free,
                            request,
                            (at, bytes, length) -> Native.open(at, bytes, length, schema.address()))
                    .value();
        }
    }

    /** Writes the first columns of a row. */
    void write(InternalRow row) {
        if (batch == null) {
            batch = empty();
        }
        batch.append(row);
        if (batch.isFull()) {
            flush();
        }
    }

    private RowBatch empty() {
        for (RowBatch known : batches) {
            if (known.isBack()) {
                return known;
            }
        }
        RowBatch made = new RowBatch(plan.schema());
        batches.add(made);
        return made;
    }

    private void flush() {
        if (batch != null) {
            long array = batch.lend(ARRAY_CALLBACK);
            batch = null;
            Native.answer(at -> Native.write(at, writer, array));
        }
    }

    /** Completes the file. */
    void finish() {
        try {
            flush();
        } catch (RuntimeException error) {
            abort();
            throw error;
        }
        try {
            Native.answer(at -> Native.finish(at, writer));
        } finally {
            batches.forEach(RowBatch::free);
        }
    }

    /** Gives the file up: nothing of it is left. */
    void abort() {
        Native.answer(at -> Native.abort(at, writer));
        batches.forEach(RowBatch::free);
    }
}
