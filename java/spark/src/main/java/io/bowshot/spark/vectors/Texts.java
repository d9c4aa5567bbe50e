package io.bowshot.spark.vectors;

import java.math.BigDecimal;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Values that Spark has no type for, as text: UUIDs, times of a day, intervals of months, days and nanoseconds. */
final class Texts {
    private static final long SECOND = 1_000_000_000;
    private static final long DAY = 86_400 * SECOND;

    private Texts() {}

    abstract static class Text extends Numbers.Wide {
        Text(Source source, int width) {
            super(source, width);
        }

        abstract String text(int row);

        @Override
        public UTF8String getUTF8String(int row) {
            return isNullAt(row) ? null : UTF8String.fromString(text(row));
        }

        final String time(long nanos) {
            if (nanos == DAY) {
                return "24:00:00";
            }
            if (nanos < 0 || nanos > DAY) {
                throw misfit(nanos + " ns after midnight", "is no time of a day");
            }
            return LocalTime.ofNanoOfDay(nanos).format(DateTimeFormatter.ISO_LOCAL_TIME);
        }
    }

    static final class Uuid extends Text {
        Uuid(Source source) {
            super(source, 16);
        }

        @Override
        String text(int row) {
            long at = values + row * 16L;
            long high = Long.reverseBytes(Platform.getLong(null, at));
            return new UUID(high, Long.reverseBytes(Platform.getLong(null, at + 8))).toString();
        }
    }

    static final class Time32 extends Text {
        private final long nanos;

        Time32(Source source, long nanos) {
            super(source, 4);
            this.nanos = nanos;
        }

        @Override
        String text(int row) {
            return time(Platform.getInt(null, values + row * 4L) * nanos);
        }
    }

    static final class Time64 extends Text {
        private final long nanos;

        Time64(Source source, long nanos) {
            super(source, 8);
            this.nanos = nanos;
        }

        @Override
        String text(int row) {
            long value = Platform.getLong(null, values + row * 8L);
            // Beyond a day, whatever the unit: it must not wrap around into one.
            return time(Math.abs(value) > DAY ? DAY + 1 : value * nanos);
        }
    }

    static final class DayTime extends Text {
        DayTime(Source source) {
            super(source, 8);
        }

        @Override
        String text(int row) {
            int days = Platform.getInt(null, values + row * 8L);
            return interval(0, days, Platform.getInt(null, values + row * 8L + 4) * 1_000_000L);
        }
    }

    static final class MonthDayNano extends Text {
        MonthDayNano(Source source) {
            super(source, 16);
        }

        @Override
        String text(int row) {
            long at = values + row * 16L;
            return interval(Platform.getInt(null, at), Platform.getInt(null, at + 4), Platform.getLong(null, at + 8));
        }
    }

    /** What {@code CAST(… AS INTERVAL)} takes: {@code 14 months -3 days 14706.5 seconds}. */
    private static String interval(int months, int days, long nanos) {
        BigDecimal seconds = BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
        return months + " months " + days + " days " + seconds.toPlainString() + " seconds";
    }
}
