package io.bowshot.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** Spark's Parquet, of which {@link DropInReader} reads the files that it reads exactly as Spark does. */
public final class DropInFormat extends ParquetFileFormat {
    private static final long serialVersionUID = 1L;

    /** The name by which Spark asks for row numbers. */
    private static final String ROW_INDEX = "_tmp_metadata_row_index";

    /** The name by which a column tells the value that older files have. */
    private static final String DEFAULT = "EXISTS_DEFAULT";

    @Override
    public String toString() {
        return "Bowshot Parquet";
    }

    /** Code that Spark compiles for a plan must not expect vectors of its own. */
    @Override
    public Option<Seq<String>> vectorTypes(StructType required, StructType partition, SQLConf conf) {
        return Option.empty();
    }

    @Override
    public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
            SparkSession session,
            StructType data,
            StructType partition,
            StructType required,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoop) {
        Function1<PartitionedFile, Iterator<InternalRow>> own =
                super.buildReaderWithPartitionValues(session, data, partition, required, filters, options, hadoop);
        if (required.isEmpty()) {
            // Footers tell how many rows there are: nothing is decoded.
            return own;
        }
        SQLConf conf = SQLConf.get();
        String obstacle = obstacle(required, options, conf, hadoop);
        if (!obstacle.isEmpty()) {
            DropIn.LOG.info("Bowshot leaves all files of a query to Spark: {}", obstacle);
            return own;
        }
        Function1<PartitionedFile, Iterator<InternalRow>> unfiltered = filters.isEmpty()
                ? own
                : super.buildReaderWithPartitionValues(session, data, partition, required, none(), options, hadoop);
        return new DropInReader(
                required,
                partition,
                new DropInFile(
                        conf.caseSensitiveAnalysis(), new ParquetOptions(options, conf).datetimeRebaseModeInRead()),
                conf.parquetFilterPushDown() ? known(filters) : List.of(),
                own,
                unfiltered,
                LeftFiles.ofQuery());
    }

    /** Why no file can be read; nothing where some may be. */
    private static String obstacle(
            StructType required, Map<String, String> options, SQLConf conf, Configuration hadoop) {
        if (!options.get("returning_batch").contains("true")) {
            return "it wants rows, not batches: its columns are too many, or Spark's vectorized reader is off";
        }
        if (Boolean.parseBoolean(conf.getConfString("spark.sql.parquet.fieldId.read.enabled", "false"))) {
            return "spark.sql.parquet.fieldId.read.enabled has columns found by their numbers";
        }
        if (hadoop.get("parquet.crypto.factory.class") != null) {
            return "parquet.crypto.factory.class has files decrypted";
        }
        String local = hadoop.get("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem");
        if (!local.equals("org.apache.hadoop.fs.LocalFileSystem")) {
            return "fs.file.impl puts " + local + " before the disk";
        }
        for (StructField field : required.fields()) {
            if (field.name().equals(ROW_INDEX)) {
                return "it asks for the numbers of rows";
            }
            if (field.metadata().contains(DEFAULT)) {
                return "the column \"" + field.name() + "\" has a default for files without it";
            }
            if (!field.nullable()) {
                return "the column \"" + field.name() + "\" must not be NULL";
            }
        }
        return "";
    }

    @SuppressWarnings("unchecked") // Scala's empty list is one of anything.
    private static Seq<Filter> none() {
        return (Seq<Filter>) (Seq<?>) scala.collection.immutable.Nil$.MODULE$;
    }

    private static List<Filter> known(Seq<Filter> filters) {
        List<Filter> known = new ArrayList<>();
        for (int i = 0; i < filters.size(); i++) {
            if (Filters.isKnown(filters.apply(i).toV2())) {
                known.add(filters.apply(i));
            }
        }
        return known;
    }
}
