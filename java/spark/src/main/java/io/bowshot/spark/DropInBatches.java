package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Texts;
import io.bowshot.spark.vectors.Vectors;
import java.io.Closeable;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.TaskCompletionListener;
import scala.Function1;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The batches of a file, with the columns that it does not have. Where Bowshot fails in the middle of a file, Spark's own reader reads on, or tells
 * what is wrong.
 */
final class DropInBatches extends AbstractIterator<Object> implements Closeable {
    private final PartitionedFile file;
    private final Function1<PartitionedFile, Iterator<InternalRow>> unfiltered;
    private final LeftFiles left;
    private final TaskContext task = TaskContext.get();
    private final Cancelling cancelling = Cancelling.watch(task);
    private final List<Column> columns;

    private boolean[] stored;
    private StructType required;
    private StructType partition;

    /** Null once it has ended. */
    private Reading reading;
    /** What Spark has now; and what it gets next. */
    private Batch current;

    private Batch next;
    private ColumnarBatch nextVectors;
    private long rows;
    /** Spark's own batches, from where it reads on. */
    private java.util.Iterator<?> rest;

    /** Opens a file; {@link #shape} says which columns are made of what it has. */
    DropInBatches(
            Texts request,
            PartitionedFile file,
            Function1<PartitionedFile, Iterator<InternalRow>> unfiltered,
            LeftFiles left) {
        this.file = file;
        this.unfiltered = unfiltered;
        this.left = left;
        try {
            reading = Reading.openFile(request, cancelling);
            columns = reading.columns();
        } catch (RuntimeException error) {
            cancelling.close();
            throw error;
        }
        if (task != null) {
            TaskCompletionListener ending = context -> close();
            task.addTaskCompletionListener(ending);
        }
    }

    /** The columns that are stored in the file. */
    List<Column> columns() {
        return columns;
    }

    /** Which of the columns that are required are stored, and which are the same for the whole file. */
    void shape(String[] names, StructType required, StructType partition) {
        this.required = required;
        this.partition = partition;
        stored = new boolean[names.length];
        for (int i = 0; i < names.length; i++) {
            stored[i] = names[i] != null;
        }
    }

    /** Batches where rows should be, as Spark passes them on. */
    @SuppressWarnings("unchecked") // Spark casts them back.
    Iterator<InternalRow> asRows() {
        return (Iterator<InternalRow>) (Iterator<?>) this;
    }

    @Override
    public boolean hasNext() {
        if (rest != null) {
            return rest.hasNext();
        }
        if (nextVectors == null) {
            advance();
        }
        return rest != null ? rest.hasNext() : nextVectors != null;
    }

    @Override
    public Object next() {
        if (!hasNext()) {
            throw new java.util.NoSuchElementException();
        }
        if (rest != null) {
            return rest.next();
        }
        ColumnarBatch batch = nextVectors;
        current = next;
        rows += batch.numRows();
        next = null;
        nextVectors = null;
        return batch;
    }

    /** Reads the next batch; the one before is no longer in use, as Spark's own reader has it too. */
    private synchronized void advance() {
        if (reading == null) {
            return;
        }
        if (current != null) {
            current.close();
            current = null;
        }
        try {
            next = reading.next();
        } catch (BowshotException error) {
            if (task != null && task.isInterrupted()) {
                throw new TaskKilledException("Bowshot's read was stopped");
            }
            if (rows == 0) {
                throw error;
            }
            left.add("it cannot be read to its end: " + error.getMessage());
            endReading();
            rest = rest();
            return;
        }
        if (next == null) {
            endReading();
            cancelling.close();
        } else {
            nextVectors = completed(next.vectors());
        }
    }

    /** Adds the columns that the file does not have. */
    private ColumnarBatch completed(ColumnarBatch found) {
        int count = found.numRows();
        ColumnVector[] all = new ColumnVector[stored.length + partition.size()];
        int place = 0;
        for (int i = 0; i < stored.length; i++) {
            StructField field = required.apply(i);
            if (stored[i]) {
                all[i] = found.column(place++);
            } else {
                ConstantColumnVector missing = new ConstantColumnVector(count, field.dataType());
                missing.setNull();
                all[i] = missing;
            }
        }
        for (int i = 0; i < partition.size(); i++) {
            ConstantColumnVector constant =
                    new ConstantColumnVector(count, partition.apply(i).dataType());
            ColumnVectorUtils.populate(constant, file.partitionValues(), i);
            all[stored.length + i] = constant;
        }
        return new ColumnarBatch(all, count);
    }

    /** Spark's own batches after the rows that it has already. */
    private java.util.Iterator<?> rest() {
        java.util.Iterator<?> all = CollectionConverters.asJava((Iterator<?>) unfiltered.apply(file));
        long before = rows;
        while (before > 0 && all.hasNext()) {
            ColumnarBatch batch = (ColumnarBatch) all.next();
            if (batch.numRows() > before) {
                return new Continued(behind(batch, (int) before), all);
            }
            before -= batch.numRows();
        }
        return all;
    }

    private static ColumnarBatch behind(ColumnarBatch batch, int first) {
        ColumnVector[] all = new ColumnVector[batch.numCols()];
        for (int i = 0; i < all.length; i++) {
            all[i] = Vectors.from(batch.column(i), first);
        }
        return new ColumnarBatch(all, batch.numRows() - first);
    }

    /** A batch, and then others. */
    private static final class Continued implements java.util.Iterator<Object> {
        private ColumnarBatch first;
        private final java.util.Iterator<?> others;

        Continued(ColumnarBatch first, java.util.Iterator<?> others) {
            this.first = first;
            this.others = others;
        }

        @Override
        public boolean hasNext() {
            return first != null || others.hasNext();
        }

        @Override
        public Object next() {
            ColumnarBatch batch = first;
            first = null;
            return batch != null ? batch : others.next();
        }
    }

    private void endReading() {
        if (reading != null) {
            reading.close();
            reading = null;
        }
    }

    /**
     * Ends the read, at the latest with the task. Another thread of the task may be in the middle of it, or still look at a batch: that is freed when
     * nobody knows of it.
     */
    @Override
    public void close() {
        cancelling.cancelIfReading();
        synchronized (this) {
            endReading();
            current = null;
            next = null;
            nextVectors = null;
        }
        cancelling.close();
    }
}
