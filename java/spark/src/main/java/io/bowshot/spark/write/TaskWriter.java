package io.bowshot.spark.write;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.unsafe.types.UTF8String;

/** The rows of one attempt of a task, as one file a folder. */
final class TaskWriter implements DataWriter<InternalRow> {
    private final Plan plan;
    private final String task;
    private final String name;
    private final int columns;
    private final List<String> files = new ArrayList<>();
    /** The texts of the partition columns of the file that is open. */
    private final UTF8String[] values;

    private final TaskContext context = TaskContext.get();

    private ParquetFile file;

    TaskWriter(Plan plan, int partition, long task) {
        this.plan = plan;
        this.task = partition + "-" + task;
        name = String.format("part-%05d-%s", partition, plan.id());
        columns = plan.schema().fields().length;
        values = new UTF8String[plan.partitions().size()];
        if (partition == 0 && values.length == 0) {
            // A table without rows has its columns in one file.
            open("");
        }
    }

    @Override
    public void write(InternalRow row) {
        // Spark only marks a task that is cancelled, and rows of a join may come for long without a look at the mark.
        if (context != null && context.isInterrupted()) {
            throw new TaskKilledException("the write was cancelled");
        }
        if (file == null || isOfOtherFolder(row)) {
            finish();
            for (int i = 0; i < values.length; i++) {
                values[i] = row.isNullAt(columns + i)
                        ? null
                        : row.getUTF8String(columns + i).copy();
            }
            open(folder());
        }
        file.write(row);
    }

    private boolean isOfOtherFolder(InternalRow row) {
        for (int i = 0; i < values.length; i++) {
            UTF8String value = row.isNullAt(columns + i) ? null : row.getUTF8String(columns + i);
            if (value == null ? values[i] != null : !value.equals(values[i])) {
                return true;
            }
        }
        return false;
    }

    private String folder() {
        StringBuilder folder = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            String value = values[i] == null ? null : values[i].toString();
            folder.append(ExternalCatalogUtils.getPartitionPathString(
                            plan.partitions().get(i), value))
                    .append('/');
        }
        return folder.toString();
    }

    private void open(String folder) {
        // NULL and the empty text have the same folder.
        String path = folder + name + (files.contains(folder + name + ".parquet") ? "-1" : "") + ".parquet";
        Path whole = Path.of(plan.staging(), task, path);
        Staging.createFolders(Path.of(plan.staging()), whole.getParent());
        file = new ParquetFile(whole, plan);
        files.add(path);
    }

    private void finish() {
        if (file != null) {
            ParquetFile open = file;
            file = null;
            open.finish();
        }
    }

    @Override
    public WriterCommitMessage commit() {
        finish();
        return new TaskFiles(task, List.copyOf(files));
    }

    @Override
    public void abort() {
        close();
        Staging.removeAll(Path.of(plan.staging(), task));
    }

    @Override
    public void close() {
        if (file != null) {
            file.abort();
            file = null;
        }
    }
}
