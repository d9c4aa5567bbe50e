package io.bowshot.spark;

import io.bowshot.border.Texts;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * Reads the files of a query, or parts of them, in a task: as Bowshot does where that is what Spark's own reader would read, and else by that.
 */
final class DropInReader extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1L;

    private final StructType required;
    private final StructType partition;
    private final DropInFile decision;
    private final byte[] filters;
    private final Function1<PartitionedFile, Iterator<InternalRow>> own;
    private final Function1<PartitionedFile, Iterator<InternalRow>> unfiltered;
    private final LeftFiles left;

    /**
     * How to read the files of a query.
     *
     * @param filters what every row fulfils that is wanted
     * @param own how Spark reads a file
     * @param unfiltered the same without filters: it has the rows that Bowshot has, one for one
     */
    DropInReader(
            StructType required,
            StructType partition,
            DropInFile decision,
            List<Filter> filters,
            Function1<PartitionedFile, Iterator<InternalRow>> own,
            Function1<PartitionedFile, Iterator<InternalRow>> unfiltered,
            LeftFiles left) {
        this.required = required;
        this.partition = partition;
        this.decision = decision;
        this.own = own;
        this.unfiltered = unfiltered;
        this.left = left;
        Texts texts = new Texts().add(filters.size());
        for (Filter filter : filters) {
            Filters.write(filter.toV2(), texts);
        }
        this.filters = texts.toBytes();
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
        try {
            return read(file);
        } catch (DropInFile.Left reason) {
            left.add(reason.getMessage());
        } catch (TaskKilledException killed) {
            throw killed;
        } catch (IOException | RuntimeException | LinkageError error) {
            // Spark's own reader says it in its own words, or passes over it where it is told to.
            left.add("it cannot be read: " + error.getMessage());
        }
        return own.apply(file);
    }

    private Iterator<InternalRow> read(PartitionedFile file) throws IOException, DropInFile.Left {
        URI uri = file.toPath().toUri();
        if (uri.getScheme() != null && !uri.getScheme().equals("file")) {
            throw new DropInFile.Left("it is in " + uri.getScheme() + ":, not on the disk");
        }
        String[] names = decision.names(Path.of(uri.getPath()), required);
        Texts request = new Texts().add(address(uri.getPath(), file));
        int count = 0;
        for (String name : names) {
            count += name == null ? 0 : 1;
        }
        request.add(count);
        for (String name : names) {
            if (name != null) {
                request.add(name);
            }
        }
        DropInBatches batches = new DropInBatches(request.addAll(filters), file, unfiltered, left);
        try {
            check(names, batches.columns());
            batches.shape(names, required, partition);
            // An error before the first batch is Spark's to tell.
            batches.hasNext();
            return batches.asRows();
        } catch (DropInFile.Left | RuntimeException error) {
            batches.close();
            throw error;
        }
    }

    /** What else a footer says of a column, such as an Arrow schema, may have made another type of it. */
    private void check(String[] names, List<Column> found) throws DropInFile.Left {
        int next = 0;
        for (int i = 0; i < names.length; i++) {
            if (names[i] != null) {
                DataType type = found.get(next++).type();
                DataType wanted = required.apply(i).dataType();
                if (!DataType.equalsIgnoreNullability(type, wanted)) {
                    throw new DropInFile.Left("the column \"" + names[i] + "\" is " + type.simpleString() + ", read as "
                            + wanted.simpleString());
                }
            }
        }
    }

    private static String address(String path, PartitionedFile file) {
        String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
        long end = Math.addExact(file.start(), file.length());
        return "file:" + encoded + "?format=parquet&hive=false&range=" + file.start() + "-" + end;
    }
}
