package io.bowshot.spark;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/**
 * Tells plans which executions read them, and when these have ended.
 *
 * <p>While Spark writes down a task that it sends, only the task's number is known. An event says soon after which stage the number is of, and so which
 * execution. Events arrive in the order in which tasks are sent.
 */
final class Executions extends SparkListener {
    /** How long a plan waits for its first task. */
    private static final long UNSENT_MILLIS = 2_000;

    /** How many ended executions are remembered: an event of a task may be late. */
    private static final int MOST_ENDED = 1_000;

    private static final String EXECUTION = "spark.sql.execution.id";
    private static final String ROOT = "spark.sql.execution.root.id";
    private static final Map<SparkContext, Executions> OF = new WeakHashMap<>();

    private final SparkContext context;
    private final Set<PlannedRead> reads = Collections.newSetFromMap(new WeakHashMap<>());
    /** The reads whose partitions each task got, until an event tells of the task. */
    private final TreeMap<Long, List<PlannedRead>> sent = new TreeMap<>();
    /** The number of the last task that an event told of. */
    private long told = -1;

    /** The executions that a stage runs for: the outermost, then its own. */
    private final Map<Integer, List<String>> stages = new HashMap<>();
    /** The same for jobs that run. */
    private final Map<String, List<String>> jobs = new HashMap<>();

    private final Set<String> ended = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST_ENDED;
        }
    });

    private Executions(SparkContext context) {
        this.context = context;
    }

    /** Those of the context that runs. */
    static Executions here() {
        synchronized (OF) {
            return OF.computeIfAbsent(SparkContext.getOrCreate(), context -> {
                Executions made = new Executions(context);
                context.addSparkListener(made);
                return made;
            });
        }
    }

    /** Has a read's plan ended with its executions, or soon if none sends a task. */
    void watch(PlannedRead read, HeldPlan plan) {
        WeakReference<PlannedRead> weak = new WeakReference<>(read);
        WeakReference<HeldPlan> planned = new WeakReference<>(plan);
        CompletableFuture.delayedExecutor(UNSENT_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
            PlannedRead known = weak.get();
            HeldPlan first = planned.get();
            if (known != null && first != null) {
                known.endIfUnsent(first);
            }
        });
        synchronized (this) {
            reads.add(read);
        }
    }

    /**
     * Notes that the task which Spark writes down now gets a partition of a read.
     *
     * @return whether an event will tell whose task it is: {@link PlannedRead#told} is called then
     */
    synchronized boolean sends(PlannedRead read) {
        TaskScheduler scheduler = context.taskScheduler();
        // Spark takes a task's number right before it writes the task down, in the same thread.
        long task = scheduler instanceof TaskSchedulerImpl known
                ? known.nextTaskId().get() - 1
                : -1;
        if (task <= told) {
            return false;
        }
        sent.computeIfAbsent(task, number -> new ArrayList<>()).add(read);
        return true;
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
        stages.put(event.stageInfo().stageId(), executions(event.properties()));
    }

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
        stages.remove(event.stageInfo().stageId());
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart event) {
        List<PlannedRead> got;
        List<PlannedRead> lost = new ArrayList<>();
        Set<String> owners;
        synchronized (this) {
            told = event.taskInfo().taskId();
            got = sent.remove(told);
            Map<Long, List<PlannedRead>> before = sent.headMap(told);
            before.values().forEach(lost::addAll);
            before.clear();
            owners = got == null ? Set.of() : owners(event.stageId());
        }
        // A task that could not be written down: no event tells of it.
        lost.forEach(read -> read.told(Set.of()));
        if (got != null) {
            got.forEach(read -> read.told(owners));
        }
    }

    /**
     * What a stage runs for: an execution that has not ended; else the jobs that run for none, as those of an RDD, or for one that has ended, as those
     * of {@code toLocalIterator}.
     */
    private Set<String> owners(int stage) {
        Predicate<String> runs = execution -> !ended.contains(execution);
        return stages.getOrDefault(stage, List.of()).stream()
                .filter(runs)
                .findFirst()
                .map(Set::of)
                .orElseGet(() -> jobs.entrySet().stream()
                        .filter(job -> job.getValue().stream().noneMatch(runs))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet()));
    }

    /** The executions in the properties of a thread: the outermost, which a thread may have from one that it outlived, then its own. */
    private static List<String> executions(Properties properties) {
        Properties known = properties == null ? new Properties() : properties;
        return Stream.of(ROOT, EXECUTION)
                .map(known::getProperty)
                .filter(Objects::nonNull)
                .toList();
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd end) {
            String execution = Long.toString(end.executionId());
            synchronized (this) {
                ended.add(execution);
            }
            ended(execution);
        }
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
        jobs.put(PlannedRead.JOB + start.jobId(), executions(start.properties()));
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd end) {
        String job = PlannedRead.JOB + end.jobId();
        synchronized (this) {
            jobs.remove(job);
        }
        ended(job);
    }

    private void ended(String owner) {
        PlannedRead[] all;
        synchronized (this) {
            all = reads.toArray(PlannedRead[]::new);
        }
        for (PlannedRead read : all) {
            read.ended(owner);
        }
    }
}
