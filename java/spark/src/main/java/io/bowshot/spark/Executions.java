package io.bowshot.spark;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/**
 * Ends plans with the executions that read them.
 *
 * <p>Spark tells of executions by events, later than they happen, and not which one a task is sent for. So a plan ends when an execution ends after its
 * last task was sent, and none runs that began before that.
 */
final class Executions extends SparkListener {
    /** How long a plan waits for its first task. */
    private static final long UNSENT_MILLIS = 2_000;

    private static final String EXECUTION = "spark.sql.execution.id";
    private static final Map<SparkContext, Executions> OF = new WeakHashMap<>();

    private final Set<PlannedRead> reads = Collections.newSetFromMap(new WeakHashMap<>());
    /** When each execution that runs began, and each job of no execution. */
    private final Map<String, Long> running = new ConcurrentHashMap<>();

    private Executions() {}

    /** Has a read's plan ended with its executions, or soon if none sends a task. */
    static void watch(PlannedRead read, HeldPlan plan) {
        WeakReference<PlannedRead> weak = new WeakReference<>(read);
        WeakReference<HeldPlan> planned = new WeakReference<>(plan);
        CompletableFuture.delayedExecutor(UNSENT_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
            PlannedRead known = weak.get();
            HeldPlan first = planned.get();
            if (known != null && first != null) {
                known.endIfUnsent(first);
            }
        });

        Executions executions;
        synchronized (OF) {
            executions = OF.computeIfAbsent(SparkContext.getOrCreate(), context -> {
                Executions made = new Executions();
                context.addSparkListener(made);
                return made;
            });
        }
        synchronized (executions.reads) {
            executions.reads.add(read);
        }
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart start) {
            running.put("execution " + start.executionId(), start.time());
        } else if (event instanceof SparkListenerSQLExecutionEnd end) {
            ended("execution " + end.executionId(), end.time());
        }
    }

    @Override
    public void onJobStart(SparkListenerJobStart start) {
        if (start.properties() == null || start.properties().getProperty(EXECUTION) == null) {
            running.put("job " + start.jobId(), start.time());
        }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd end) {
        if (running.containsKey("job " + end.jobId())) {
            ended("job " + end.jobId(), end.time());
        }
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd end) {
        running.clear();
        each(read -> read.endedAt(Long.MAX_VALUE, since -> false));
    }

    private void ended(String name, long time) {
        running.remove(name);
        each(read -> read.endedAt(time, since -> running.values().stream().anyMatch(began -> began <= since)));
    }

    private void each(java.util.function.Consumer<PlannedRead> work) {
        PlannedRead[] all;
        synchronized (reads) {
            all = reads.toArray(PlannedRead[]::new);
        }
        for (PlannedRead read : all) {
            work.accept(read);
        }
    }
}
