package io.bowshot.parquet;

import io.bowshot.BowshotException;
import io.bowshot.border.Answer;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** The native writer's number. A handle that nobody can reach any more gives its file up. */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    private final AtomicLong number;

    Handle(long number) {
        AtomicLong shared = new AtomicLong(number);
        this.number = shared;
        CLEANER.register(this, () -> abort(shared));
    }

    /**
     * The number.
     *
     * @throws BowshotException where the writer is closed
     */
    long number() {
        long open = number.get();
        if (open == 0) {
            throw new BowshotException(
                    BowshotException.Kind.CONFIG,
                    "the Parquet writer is finished, aborted or closed\n  open a new one");
        }
        return open;
    }

    /** The number was given to a function that lets go of it. */
    void forget() {
        number.set(0);
    }

    /** Gives the file up, unless that was done or it is finished; whether it was done now. */
    boolean abort() {
        return abort(number);
    }

    private static boolean abort(AtomicLong number) {
        long open = number.getAndSet(0);
        if (open == 0) {
            return false;
        }
        Answer.of(Native::free, answer -> Native.abort(answer, open));
        return true;
    }
}
