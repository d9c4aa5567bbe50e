package io.bowshot.spark;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.util.AccumulatorV2;

/** Counts the files, or parts of them, that tasks leave to Spark's own reader, by the reason. When a query has ended, the driver's log says it. */
final class LeftFiles extends AccumulatorV2<String, Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    /** Reasons that are told apart; one of a query of many files may name each of them. */
    private static final int MOST = 20;

    private static final String OTHERS = "other reasons";
    private static final Set<SparkContext> WATCHED = Collections.newSetFromMap(new WeakHashMap<>());
    private static final Set<LeftFiles> ALL = Collections.newSetFromMap(new WeakHashMap<>());

    private final Map<String, Long> counts = new TreeMap<>();

    /** Those of a query that is planned now. */
    static LeftFiles ofQuery() {
        LeftFiles made = new LeftFiles();
        SparkContext context = SparkContext.getOrCreate();
        context.register(made);
        synchronized (ALL) {
            ALL.add(made);
            if (WATCHED.add(context)) {
                context.addSparkListener(new Ends());
            }
        }
        return made;
    }

    private static final class Ends extends SparkListener {
        @Override
        public void onOtherEvent(SparkListenerEvent event) {
            if (event instanceof SparkListenerSQLExecutionEnd) {
                synchronized (ALL) {
                    ALL.forEach(LeftFiles::tell);
                }
            }
        }
    }

    private void tell() {
        Map<String, Long> told;
        synchronized (counts) {
            told = new TreeMap<>(counts);
            counts.clear();
        }
        told.forEach((reason, count) ->
                DropIn.LOG.info("Bowshot left {} {} to Spark: {}", count, count == 1 ? "file" : "files", reason));
    }

    @Override
    public boolean isZero() {
        synchronized (counts) {
            return counts.isEmpty();
        }
    }

    @Override
    public AccumulatorV2<String, Map<String, Long>> copy() {
        LeftFiles copy = new LeftFiles();
        copy.merge(this);
        return copy;
    }

    @Override
    public void reset() {
        synchronized (counts) {
            counts.clear();
        }
    }

    @Override
    public void add(String reason) {
        add(reason, 1);
    }

    private void add(String reason, long count) {
        synchronized (counts) {
            boolean known = counts.containsKey(reason) || counts.size() < MOST;
            counts.merge(known ? reason : OTHERS, count, Long::sum);
        }
    }

    @Override
    public void merge(AccumulatorV2<String, Map<String, Long>> other) {
        other.value().forEach(this::add);
    }

    @Override
    public Map<String, Long> value() {
        synchronized (counts) {
            return new TreeMap<>(counts);
        }
    }
}
