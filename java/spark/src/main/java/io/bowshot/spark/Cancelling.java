package io.bowshot.spark;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.apache.spark.TaskContext;

/**
 * Stops the read of a task that is cancelled: Spark only marks the task, and the query would run on in the database. One thread of a process looks at
 * all tasks.
 */
final class Cancelling implements AutoCloseable {
    private static final long LOOK_EVERY = 50;
    private static final Set<Cancelling> WATCHED = ConcurrentHashMap.newKeySet();
    private static Thread watcher;

    private final TaskContext task;
    private final long handle = Native.answer(Native::newCancel).value();
    private boolean reading;
    private boolean cancelled;
    private boolean closed;

    private Cancelling(TaskContext task) {
        this.task = task;
    }

    /** What stops the reads of a task. */
    static Cancelling watch(TaskContext task) {
        Cancelling cancelling = new Cancelling(task);
        if (task != null) {
            WATCHED.add(cancelling);
            start();
        }
        return cancelling;
    }

    private static synchronized void start() {
        if (watcher == null) {
            watcher = new Thread(Cancelling::look, "bowshot-cancelling");
            watcher.setDaemon(true);
            watcher.start();
        }
    }

    private static void look() {
        while (true) {
            try {
                Thread.sleep(LOOK_EVERY);
            } catch (InterruptedException error) {
                return;
            }
            for (Cancelling cancelling : WATCHED) {
                if (cancelling.task.isInterrupted()) {
                    cancelling.cancel();
                }
            }
        }
    }

    /** Does work that may wait for a database; it gets the handle that stops it. */
    <T> T reading(LongFunction<T> work) {
        synchronized (this) {
            reading = true;
        }
        try {
            return work.apply(handle);
        } finally {
            synchronized (this) {
                reading = false;
                notifyAll();
            }
        }
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Stops what waits now, in another thread. */
    synchronized void cancelIfReading() {
        if (reading) {
            cancel();
        }
    }

    private synchronized void cancel() {
        if (!cancelled && !closed) {
            cancelled = true;
            Native.answer(at -> Native.cancel(at, handle));
        }
    }

    @Override
    public synchronized void close() {
        WATCHED.remove(this);
        if (!closed) {
            closed = true;
            Native.answer(at -> Native.closeCancel(at, handle));
        }
    }
}
