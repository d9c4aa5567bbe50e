package io.bowshot.spark.vectors;

import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Values that Spark has no type for, as text: UUIDs, times of a day, intervals in ISO 8601's form. */
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

    /** Such as {@code P1Y2M3DT4H5M6.5S}; {@code PT0S} is nothing. */
    private static String interval(int months, int days, long nanos) {
        StringBuilder text = new StringBuilder("P");
        part(text, months / 12, 'Y');
        part(text, months % 12, 'M');
        part(text, days, 'D');
        if (nanos != 0) {
            text.append('T');
            part(text, nanos / (3_600 * SECOND), 'H');
            part(text, nanos / (60 * SECOND) % 60, 'M');
            long rest = nanos % (60 * SECOND);
            if (rest != 0) {
                text.append(java.math.BigDecimal.valueOf(rest, 9)
                                .stripTrailingZeros()
                                .toPlainString())
                        .append('S');
            }
        }
        return text.length() == 1 ? "PT0S" : text.toString();
    }

    private static void part(StringBuilder text, long count, char unit) {
        if (count != 0) {
            text.append(count).append(unit);
        }
    }
}
