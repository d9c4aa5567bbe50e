package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.border.Texts;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The plans of one read, one after the other: each lives as long as the executions that read it.
 *
 * <p>Spark asks a DataFrame's read for its partitions once, however often the DataFrame is executed. So a partition is only a number, and becomes
 * {@linkplain Tickets tickets} when a task is sent: those of the plan that lives. Once an execution has ended and with it the plan, the next task
 * has the query planned anew, on the state of the database as it is then. All tasks of an execution read one state.
 */
final class PlannedRead {
    private final Look look;
    private final Texts wish;
    /** Whether Spark caches what it reads: partitions of one cache must be of one state, whichever execution reads them first. */
    private boolean cached;
    /** How many partitions Spark knows. */
    private int count;

    private HeldPlan plan;
    private boolean ended;
    /** Whether a task of the plan was sent. */
    private boolean sent;
    /** When a task was last sent, in milliseconds. */
    private long lastSent;

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
        if (plan == null) {
            if (cached && ended) {
                throw gone("it is read for a cache, and ended before all of it was cached");
            }
            plan();
        } else if (!plan.isAlive()) {
            throw gone("it was lost, or its lease ended");
        }
        lastSent = System.currentTimeMillis();
        sent = true;
        // A later plan may have more partitions than Spark knows, or fewer.
        List<byte[]> mine = new ArrayList<>();
        for (int i = index; i < plan.count(); i += count) {
            mine.add(plan.ticket(i));
        }
        return new Tickets(mine);
    }

    /** Ends the plan when no execution reads it: the last one that may have taken tickets ended at a time. */
    synchronized void endedAt(long time, java.util.function.LongPredicate runsSince) {
        if (plan != null && !cached && lastSent < time && !runsSince.test(lastSent)) {
            plan.close();
            plan = null;
            ended = true;
        }
    }

    /** How it is read, as far as it is known, for {@code explain}. */
    synchronized String described() {
        String sql = Native.answer(wish, (at, bytes, length) -> Native.statement(at, look.handle(), bytes, length))
                .text(0);
        return (sql.isEmpty() ? "" : ", " + sql) + (plan == null ? "" : ", " + plan.described());
    }

    /** Ends a plan of which no task was sent: Spark may ask for partitions and never read them. The first task has it made anew. */
    synchronized void endIfUnsent(HeldPlan planned) {
        if (plan == planned && !sent && !cached) {
            plan.close();
            plan = null;
        }
    }

    private void plan() {
        plan = HeldPlan.of(look, wish);
        sent = false;
        lastSent = System.currentTimeMillis();
        Executions.watch(this, plan);
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
