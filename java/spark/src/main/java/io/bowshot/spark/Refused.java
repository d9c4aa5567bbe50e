package io.bowshot.spark;

import io.bowshot.BowshotException;
import java.util.function.Supplier;

/**
 * A mistake in what a program asks for, found before anything is executed.
 *
 * <p>PySpark shows what it knows, as {@code IllegalArgumentException}, by its message alone, and everything else with the stack of the JVM.
 */
final class Refused extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Refused(BowshotException error) {
        super(error.getMessage(), error);
    }

    /** Does what Spark asks for on the driver, where errors are for people. */
    static <T> T unless(Supplier<T> work) {
        try {
            return work.get();
        } catch (BowshotException error) {
            throw new Refused(error);
        }
    }
}
