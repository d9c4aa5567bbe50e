package io.bowshot.spark.write;

import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * What a task wrote.
 *
 * @param task its folder inside of the hidden one
 * @param files complete files, by their paths inside of this folder and of the target
 */
record TaskFiles(String task, List<String> files) implements WriterCommitMessage {}
