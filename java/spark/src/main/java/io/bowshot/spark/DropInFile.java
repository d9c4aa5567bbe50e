package io.bowshot.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.runtime.AbstractFunction1;

/**
 * Tells which columns of a file Bowshot reads as Spark would, by the file's footer.
 *
 * @param caseSensitive whether names of columns differ by case
 * @param rebase what Spark does with dates and times of files that do not say who wrote them: CORRECTED, LEGACY or EXCEPTION
 */
record DropInFile(boolean caseSensitive, String rebase) implements Serializable {
    private static final ParquetReadOptions OPTIONS = ParquetReadOptions.builder()
            .withMetadataFilter(ParquetMetadataConverter.SKIP_ROW_GROUPS)
            .build();

    /** A file that Spark's own reader has to read, and why. */
    static final class Left extends Exception {
        private static final long serialVersionUID = 1L;

        Left(String reason) {
            super(reason, null, false, false);
        }
    }

    /**
     * The name of each column in the file; null for those that it does not have.
     *
     * @throws Left where Bowshot might read something else than Spark
     */
    String[] names(Path path, StructType required) throws IOException, Left {
        FileMetaData footer = footer(path);
        if (footer.getEncryptionType() != FileMetaData.EncryptionType.UNENCRYPTED) {
            throw new Left("it is encrypted");
        }
        if (CorruptDeltaByteArrays.requiresSequentialReads(footer.getCreatedBy(), Encoding.DELTA_BYTE_ARRAY)) {
            throw new Left("an old version of parquet-java wrote it, which made mistakes");
        }
        boolean old = isRebased(footer);
        String[] names = new String[required.size()];
        boolean any = false;
        for (int i = 0; i < names.length; i++) {
            StructField field = required.apply(i);
            Type found = find(footer, field.name());
            if (found != null) {
                any = true;
                names[i] = found.getName();
                String obstacle = SameTypes.obstacle(found, field.dataType());
                if (!obstacle.isEmpty()) {
                    throw new Left("the column \"" + field.name() + "\" " + obstacle);
                }
                if (old && SameTypes.holdsDays(field.dataType())) {
                    throw new Left("the column \"" + field.name() + "\" may be of the calendar before Spark 3.0");
                }
            }
        }
        if (!any) {
            throw new Left("it has none of the columns");
        }
        return names;
    }

    private static FileMetaData footer(Path path) throws IOException {
        LocalInputFile file = new LocalInputFile(path);
        try (SeekableInputStream stream = file.newStream()) {
            return ParquetFileReader.readFooter(file, OPTIONS, stream).getFileMetaData();
        }
    }

    private Type find(FileMetaData footer, String name) throws Left {
        List<Type> found = new ArrayList<>();
        for (Type type : footer.getSchema().getFields()) {
            if (caseSensitive
                    ? type.getName().equals(name)
                    : lower(type.getName()).equals(lower(name))) {
                found.add(type);
            }
        }
        if (found.size() > 1) {
            throw new Left("it has several columns that are called \"" + name + "\"");
        }
        return found.isEmpty() ? null : found.get(0);
    }

    /** As Spark compares names. */
    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Whether Spark may read its dates and times as those of another calendar. */
    private boolean isRebased(FileMetaData footer) {
        Object how = DataSourceUtils.datetimeRebaseSpec(
                new AbstractFunction1<String, String>() {
                    @Override
                    public String apply(String key) {
                        return footer.getKeyValueMetaData().get(key);
                    }
                },
                rebase);
        return !how.toString().startsWith("RebaseSpec(CORRECTED");
    }
}
