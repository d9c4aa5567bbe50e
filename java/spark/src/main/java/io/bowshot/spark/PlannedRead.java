package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Texts;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The plans of one read, one after the other: each lives as long as the executions that read it.
 *
 * <p>Spark asks a DataFrame's read for its partitions once, however often the DataFrame is executed. So a partition is only a number, and becomes
 * {@linkplain Tickets tickets} when a task is sent: those of the plan that lives. Once an execution has ended and with it the plan, the next task
 * has the query planned anew, on the state of the database as it is then. All tasks of an execution read one state.
 *
 * <p>Jobs outside an execution, as those of an RDD or of {@code toLocalIterator}, read one partition after the other, a job each, and nothing says which is
 * the last. Their plan lives until each partition was read, one is read again, or the lease ends.
 */
final class PlannedRead {
    /** How the name of a job begins that runs outside an execution. */
    static final String JOB = "job ";

    private final Look look;
    private final Texts wish;
    /** Whether Spark caches what it reads: partitions of one cache must be of one state, whichever execution reads them first. */
    private boolean cached;
    /** How many partitions Spark knows. */
    private int count;

    private HeldPlan plan;
    private boolean ended;
    /** The partitions of the plan that were sent. */
    private final BitSet sent = new BitSet();
    /** How many sent tasks no event has told of. */
    private int untold;
    /** Executions that read the plan and have not ended. */
    private final Set<String> owners = new HashSet<>();
    /** Whether jobs outside an execution read the plan. */
    private boolean ofJobs;

    PlannedRead(Look look, Texts wish) {
        this.look = look;
        this.wish = wish;
    }

    synchronized InputPartition[] partitions() {
        cached |= isCaching();
        if (plan == null) {
            plan();
        }
        // Several scans may share the read, and know as many partitions as the first one does.
        count = count == 0 ? plan.count() : count;
        InputPartition[] partitions = new InputPartition[count];
        for (int i = 0; i < count; i++) {
            partitions[i] = new PlannedPartition(this, i);
        }
        return partitions;
    }

    /** Whether another scan may read it: not what is read for a cache, which keeps its state, nor what has lost its state. */
    synchronized boolean isShared() {
        return !cached && (plan == null || plan.isAlive());
    }

    /** The tickets of a partition, for a task that is sent now. */
    synchronized Tickets tickets(int index) {
        if (plan != null && ofJobs && isIdle() && sent.get(index)) {
            end();
        }
        if (plan == null) {
            if (cached && ended) {
                throw gone("it is read for a cache, and ended before all of it was cached");
            }
            plan();
        } else if (!plan.isAlive()) {
            throw gone("it was lost, or its lease ended");
        }
        if (Executions.here().sends(this)) {
            untold++;
        }
        sent.set(index);
        // A later plan may have more partitions than Spark knows, or fewer.
        List<byte[]> mine = new ArrayList<>();
        for (int i = index; i < plan.count(); i += count) {
            mine.add(plan.ticket(i));
        }
        return new Tickets(mine);
    }

    /** Takes note of whom a task was sent for: executions that have not ended. */
    synchronized void told(Set<String> executions) {
        untold--;
        owners.addAll(executions);
        ofJobs |= executions.stream().anyMatch(name -> name.startsWith(JOB));
        endIfDone();
    }

    /** Takes note that an execution has ended. */
    synchronized void ended(String execution) {
        if (owners.remove(execution)) {
            endIfDone();
        }
    }

    private void endIfDone() {
        if (plan != null && isIdle() && !sent.isEmpty() && (!ofJobs || sent.cardinality() >= count)) {
            end();
        }
    }

    private boolean isIdle() {
        return !cached && owners.isEmpty() && untold == 0;
    }

    private void end() {
        plan.close();
        plan = null;
        ended = true;
    }

    /** How it is read, as far as it is known, for {@code explain}. */
    synchronized String described() {
        String sql = Native.answer(wish, (at, bytes, length) -> Native.statement(at, look.handle(), bytes, length))
                .text(0);
        return (sql.isEmpty() ? "" : ", " + sql) + (plan == null ? "" : ", " + plan.described());
    }

    /** Ends a plan of which no task was sent: Spark may ask for partitions and never read them. The first task has it made anew. */
    synchronized void endIfUnsent(HeldPlan planned) {
        if (plan == planned && sent.isEmpty() && !cached) {
            plan.close();
            plan = null;
        }
    }

    private void plan() {
        plan = HeldPlan.of(look, wish);
        sent.clear();
        ofJobs = false;
        Executions.here().watch(this, plan);
    }

    private BowshotException gone(String why) {
        String message = "the plan's snapshot is gone: " + why
                + "\n  make the DataFrame again; .option(\"lease\", seconds) says how long a plan waits for its tasks";
        return new BowshotException(BowshotException.Kind.SNAPSHOT_GONE, message);
    }

    /** Whether Spark fills a cache. It does not say so; but its own code for that is what calls. */
    private static boolean isCaching() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().contains("CachedRDDBuilder")));
    }
}
