package io.bowshot.spark.write;

import java.io.Serializable;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.sql.types.StructType;

/**
 * What tasks know.
 *
 * @param staging the folder that they write into
 * @param id of the write; part of each file's name
 * @param options the native writer's
 * @param schema the columns of the files; rows have the texts of partition columns behind them
 * @param partitions the names of partition columns
 */
record Plan(String staging, String id, TreeMap<String, String> options, StructType schema, List<String> partitions)
        implements Serializable {}
