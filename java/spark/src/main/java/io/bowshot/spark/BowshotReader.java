package io.bowshot.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Reads the tickets of a task, one after the other.
 *
 * <p>A batch is freed when Spark asks for the next one. The last one may still be in use when Spark closes the reader, as it does since 4.2: it lives until the
 * task ends.
 */
final class BowshotReader implements PartitionReader<ColumnarBatch> {
    private final String address;
    private final Tickets tickets;
    private final StructType columns;
    private final Metrics metrics = new Metrics();
    private final Cancelling cancelling;
    private final TaskContext task = TaskContext.get();
    private int next;
    private Reading reading;
    private Batch batch;
    private boolean closed;

    BowshotReader(String address, Tickets tickets, StructType columns) {
        this.address = address;
        this.tickets = tickets;
        this.columns = columns;
        cancelling = Cancelling.watch(task);
        if (task != null) {
            TaskCompletionListener ending = context -> end(context.isInterrupted());
            task.addTaskCompletionListener(ending);
        }
    }

    @Override
    public synchronized boolean next() {
        if (closed) {
            return false;
        }
        long start = System.nanoTime();
        try {
            while (true) {
                if (reading == null && !open()) {
                    return false;
                }
                Batch read = reading.next();
                if (read != null) {
                    if (batch != null) {
                        batch.close();
                    }
                    batch = read;
                    metrics.read(read.bytes());
                    return true;
                }
                reading.close();
                reading = null;
            }
        } finally {
            metrics.waited(System.nanoTime() - start);
        }
    }

    private boolean open() {
        if (next == tickets.count()) {
            return false;
        }
        reading = Reading.open(address, tickets.get(next), columns, cancelling);
        next++;
        return true;
    }

    @Override
    public ColumnarBatch get() {
        return batch.vectors();
    }

    @Override
    public CustomTaskMetric[] currentMetricsValues() {
        return metrics.current();
    }

    /** Ends the read; the last batch lives on until the task ends. */
    @Override
    public void close() {
        if (task == null) {
            end(false);
            return;
        }
        cancelling.cancelIfReading();
        closeReading();
    }

    /** Another thread may be in the middle of a read, which is stopped first. */
    private void end(boolean interrupted) {
        cancelling.cancelIfReading();
        closeReading();
        synchronized (this) {
            // A thread of an interrupted task may still look at the batch: it is freed when nobody knows of it.
            if (batch != null && !interrupted) {
                batch.close();
            }
            batch = null;
        }
        cancelling.close();
    }

    private synchronized void closeReading() {
        closed = true;
        if (reading != null) {
            reading.close();
            reading = null;
        }
    }
}
