package io.bowshot.spark.vectors;

import org.apache.spark.unsafe.Platform;

/** Timestamps and durations in Spark's microseconds, dates in its days. */
final class Times {
    private static final long DAY = 86_400_000;

    private Times() {}

    /** Milliseconds since 1970, of whole days. */
    static final class Days extends Numbers.Wide {
        Days(Source source) {
            super(source, 8);
        }

        @Override
        public int getInt(int row) {
            long millis = Platform.getLong(null, values + row * 8L);
            if (millis % DAY != 0) {
                throw misfit(millis + " ms", "is no whole number of days");
            }
            return (int) (millis / DAY);
        }
    }

    /** Seconds or milliseconds. */
    static final class Coarser extends Numbers.Wide {
        private final long micros;

        Coarser(Source source, long micros) {
            super(source, 8);
            this.micros = micros;
        }

        @Override
        public long getLong(int row) {
            long value = Platform.getLong(null, values + row * 8L);
            long high = Math.multiplyHigh(value, micros);
            long low = value * micros;
            if (high != low >> 63) {
                throw misfit(value + (micros == 1_000 ? " ms" : " s"), "is beyond the microseconds that Spark counts");
            }
            return low;
        }
    }

    static final class Nanos extends Numbers.Wide {
        Nanos(Source source) {
            super(source, 8);
        }

        @Override
        public long getLong(int row) {
            long nanos = Platform.getLong(null, values + row * 8L);
            if (nanos % 1_000 != 0) {
                throw misfit(nanos + " ns", "has nanoseconds, and Spark counts microseconds");
            }
            return nanos / 1_000;
        }
    }
}
