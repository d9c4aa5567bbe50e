package io.bowshot.spark.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bowshot.BowshotException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What {@code df.write.format("bowshot").save(path)} does, in each of its modes.
 *
 * <p>Spark knows two ways to write: one leaves the mode to the source, one its tasks and their commits. The first ends here, and begins the second
 * by {@link WriteSource}: with the values of partition columns as texts behind the columns of the files, as Spark casts them.
 */
public final class Saving {
    private Saving() {}

    /**
     * Writes all rows of a DataFrame.
     *
     * @throws BowshotException where the options, columns or the mode forbid it
     */
    public static void save(Dataset<Row> data, SaveMode mode, scala.collection.immutable.Map<String, String> given) {
        Map<String, String> options = options(given);
        List<String> partitions = partitions(options.remove(DataSourceUtils.PARTITIONING_COLUMNS_KEY()));
        Target target = Target.of(options);
        boolean exists = target.exists();
        if (exists && mode == SaveMode.ErrorIfExists) {
            throw new BowshotException(
                    BowshotException.Kind.CONFIG,
                    target.folder()
                            + " exists already\n  write with mode(\"append\") or mode(\"overwrite\"), or to another path");
        }
        if (exists && mode == SaveMode.Ignore) {
            return;
        }
        boolean isCaseSensitive =
                Boolean.parseBoolean(data.sparkSession().conf().get("spark.sql.caseSensitive", "false"));
        check(data.schema(), isCaseSensitive);

        Set<Integer> places = new HashSet<>();
        List<String> names = new ArrayList<>();
        List<Column> last = new ArrayList<>();
        for (String partition : partitions) {
            int place = place(data.schema(), partition, isCaseSensitive);
            StructField field = data.schema().fields()[place];
            places.add(place);
            names.add(field.name());
            last.add(column(data, field).cast("string").as(WriteSource.PARTITION + last.size()));
        }
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < data.schema().fields().length; i++) {
            if (!places.contains(i)) {
                columns.add(column(data, data.schema().fields()[i]));
            }
        }
        if (columns.isEmpty()) {
            throw new BowshotException(
                    BowshotException.Kind.UNSUPPORTED,
                    partitions.isEmpty()
                            ? "Parquet has no tables without columns\n  add a column to the DataFrame"
                            : "all columns are partition columns, and the files would have none\n  leave one out of partitionBy");
        }
        columns.addAll(last);
        data.select(columns.toArray(Column[]::new))
                .write()
                .format(WriteSource.class.getName())
                .options(options)
                .option(WriteSource.OVERWRITE, mode == SaveMode.Overwrite)
                .option(
                        WriteSource.NAMES,
                        String.join("\n", names.stream().map(Saving::escaped).toList()))
                .mode(SaveMode.Append)
                .save();
    }

    private static Map<String, String> options(scala.collection.immutable.Map<String, String> given) {
        // Without their case, keys of metadata would not be those that the user wrote.
        scala.collection.immutable.Map<String, String> all =
                given instanceof CaseInsensitiveMap<String> wrapped ? wrapped.originalMap() : given;
        Map<String, String> options = new LinkedHashMap<>();
        scala.collection.Iterator<scala.Tuple2<String, String>> entries = all.iterator();
        while (entries.hasNext()) {
            scala.Tuple2<String, String> entry = entries.next();
            options.put(entry._1(), entry._2());
        }
        return options;
    }

    /** The names that Spark wrote as a list in JSON; what it reads them with differs between versions of Scala. */
    private static List<String> partitions(String encoded) {
        if (encoded == null) {
            return List.of();
        }
        try {
            return List.of(new ObjectMapper().readValue(encoded, String[].class));
        } catch (JsonProcessingException error) {
            throw new BowshotException(
                    BowshotException.Kind.INTERNAL, "the names of partition columns make no sense: " + encoded);
        }
    }

    private static void check(StructType schema, boolean isCaseSensitive) {
        Set<String> seen = new HashSet<>();
        for (String name : schema.fieldNames()) {
            if (!seen.add(isCaseSensitive ? name : name.toLowerCase(Locale.ROOT))) {
                throw new BowshotException(
                        BowshotException.Kind.CONFIG,
                        "two columns are called \"" + name + "\"\n  rename one of them",
                        name,
                        "");
            }
        }
    }

    private static int place(StructType schema, String name, boolean isCaseSensitive) {
        String[] names = schema.fieldNames();
        for (int i = 0; i < names.length; i++) {
            // Spark wants names with unusual letters in backticks.
            String quoted = WriteSource.quoted(names[i]);
            if (isCaseSensitive
                    ? names[i].equals(name) || quoted.equals(name)
                    : names[i].equalsIgnoreCase(name) || quoted.equalsIgnoreCase(name)) {
                return partitionable(schema.fields()[i], i);
            }
        }
        throw new BowshotException(
                BowshotException.Kind.CONFIG,
                "partitionBy names the column \"" + name + "\", which the DataFrame does not have; its columns are "
                        + String.join(", ", names),
                name,
                "");
    }

    private static int partitionable(StructField field, int place) {
        String type = field.dataType().typeName();
        if (Set.of("array", "map", "struct", "udt", "variant", "void", "binary").contains(type)) {
            throw new BowshotException(
                    BowshotException.Kind.UNSUPPORTED,
                    "column \"" + field.name() + "\" (" + type
                            + ") cannot name folders\n  partition by a column of plain values",
                    field.name(),
                    "");
        }
        return place;
    }

    private static Column column(Dataset<Row> data, StructField field) {
        return data.col(WriteSource.quoted(field.name()));
    }

    private static String escaped(String name) {
        return name.replace("\\", "\\\\").replace("\n", "\\n");
    }
}
