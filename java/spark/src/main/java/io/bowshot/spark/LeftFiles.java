package io.bowshot.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.util.CollectionAccumulator;

/**
 * Counts the files, or parts of them, that tasks leave to Spark's own reader, by the reason. When a query has ended, the driver's log says it.
 *
 * <p>What travels is an accumulator of Spark's own: heartbeats of executors hold it, and a driver may not find a class of a jar there.
 */
final class LeftFiles implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Reasons that are told one by one; a query of many files may have one for each of them. */
    private static final int MOST = 20;

    private static final Set<SparkContext> WATCHED = Collections.newSetFromMap(new WeakHashMap<>());
    private static final Set<LeftFiles> ALL = Collections.newSetFromMap(new WeakHashMap<>());

    private final CollectionAccumulator<String> reasons = new CollectionAccumulator<>();

    /** Those of a query that is planned now. */
    static LeftFiles ofQuery() {
        LeftFiles made = new LeftFiles();
        SparkContext context = SparkContext.getOrCreate();
        context.register(made.reasons);
        synchronized (ALL) {
            ALL.add(made);
            if (WATCHED.add(context)) {
                context.addSparkListener(new Ends());
            }
        }
        return made;
    }

    /** Adds a file, in a task. */
    void add(String reason) {
        reasons.add(reason);
    }

    private static final class Ends extends SparkListener {
        @Override
        public void onOtherEvent(SparkListenerEvent event) {
            if (event instanceof SparkListenerSQLExecutionEnd) {
                List<LeftFiles> all;
                synchronized (ALL) {
                    all = new ArrayList<>(ALL);
                }
                all.forEach(LeftFiles::tell);
            }
        }
    }

    private void tell() {
        Map<String, Integer> counts = new TreeMap<>();
        synchronized (reasons) {
            for (String reason : reasons.value()) {
                boolean known = counts.containsKey(reason) || counts.size() < MOST;
                counts.merge(known ? reason : "other reasons", 1, Integer::sum);
            }
            reasons.reset();
        }
        counts.forEach((reason, count) ->
                DropIn.LOG.info("Bowshot left {} {} to Spark: {}", count, count == 1 ? "file" : "files", reason));
    }
}
