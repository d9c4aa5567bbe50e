package io.bowshot.spark.write;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The inner half of the format {@code bowshot}, which only {@link Saving} names: files that tasks write and the driver commits. */
public final class WriteSource implements TableProvider {
    /** Whether old files go. */
    static final String OVERWRITE = "bowshot.overwrite";
    /** The names of partition columns, a line each. */
    static final String NAMES = "bowshot.partitions";
    /** What the columns with the texts of partition columns are called. */
    static final String PARTITION = "__bowshot_partition_";

    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        throw new UnsupportedOperationException("this format only writes; read with format(\"bowshot\")");
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        Map<String, String> options = new LinkedHashMap<>(properties);
        boolean isOverwrite = Boolean.parseBoolean(options.remove(OVERWRITE));
        List<String> partitions = new ArrayList<>();
        for (String line : options.remove(NAMES).split("\n")) {
            if (!line.isEmpty()) {
                partitions.add(unescaped(line));
            }
        }
        return new Files(Target.of(options), schema, partitions, isOverwrite);
    }

    /** A column's name as expressions take it. */
    static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static String unescaped(String line) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char letter = line.charAt(i);
            if (letter == '\\') {
                i++;
                letter = line.charAt(i) == 'n' ? '\n' : line.charAt(i);
            }
            name.append(letter);
        }
        return name.toString();
    }

    private record Files(Target target, StructType schema, List<String> partitions, boolean isOverwrite)
            implements SupportsWrite {
        @Override
        public String name() {
            return "bowshot " + target.folder();
        }

        @Override
        public Set<TableCapability> capabilities() {
            return EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.ACCEPT_ANY_SCHEMA);
        }

        @Override
        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return new WriteBuilder() {
                @Override
                public Write build() {
                    return new ParquetWrite(target, info.schema(), List.copyOf(partitions), isOverwrite);
                }
            };
        }
    }
}
