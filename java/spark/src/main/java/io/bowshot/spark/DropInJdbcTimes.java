package io.bowshot.spark;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.TimeZone;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.jdbc.JdbcDialect;
import org.apache.spark.sql.jdbc.JdbcDialects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Makes Spark's dates and times of PostgreSQL's as Spark's JDBC source does: by way of {@link Date} and {@link Timestamp}, in the JVM's time zone, with all
 * that does to days of the old calendar and to hours that clocks skip. Most values stay as they are, or move with a quarter of an hour.
 */
final class DropInJdbcTimes {
    /** What stands for infinite dates and times: Bowshot has no value for them. Where these are real they are errors. */
    static final String INFINITE_DAY = "5874896-02-18";

    static final String MINUS_INFINITE_DAY = "5874896-02-17";
    static final String INFINITE_TIME = "294246-02-18 17:17:17.171717+00";
    static final String MINUS_INFINITE_TIME = "294246-02-17 17:17:17.171717+00";

    private static final long INFINITE_DAYS = LocalDate.of(5_874_896, 2, 18).toEpochDay();
    private static final long MINUS_INFINITE_DAYS = INFINITE_DAYS - 1;
    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long INFINITE_MICROS =
            LocalDate.of(294_246, 2, 18).toEpochDay() * DAY_MICROS + 62_237_171_717L;
    private static final long MINUS_INFINITE_MICROS = INFINITE_MICROS - DAY_MICROS;

    /** PostgreSQL's driver has these for infinity. */
    private static final long INFINITE_MILLIS = 9_223_372_036_825_200_000L;

    private static final long MINUS_INFINITE_MILLIS = -9_223_372_036_832_400_000L;

    private static final long QUARTER = 900_000_000L;
    private static final int DAY_SECONDS = 86_400;

    /** From here on no calendar but ours is known to Spark, in any time zone. */
    private static final LocalDate MODERN = LocalDate.of(1910, 1, 1);

    /** How times of a column become Spark's. */
    enum Kind {
        /** They are of another kind, and stay as they are. */
        NONE,
        /** Days. */
        DAY,
        /** Instants. */
        INSTANT,
        /** Times in no zone, which become instants. */
        LOCAL_AS_INSTANT,
        /** Times in no zone. */
        LOCAL
    }

    private final Kind kind;
    private final JdbcDialect dialect = JdbcDialects.get("jdbc:postgresql:");
    private final ZoneRules rules =
            ZoneId.of(TimeZone.getDefault().getID(), ZoneId.SHORT_IDS).getRules();
    private final GregorianCalendar calendar;
    /** Days before it are converted one by one, and so are those of the far future. */
    private final long plainDays;

    private final long plainMicros;

    /** The quarter of an hour that was last converted, and by how much it moves. */
    private long quarter = Long.MIN_VALUE;

    private long moved;

    DropInJdbcTimes(Kind kind) {
        this.kind = kind;
        // As the driver has it, with the old calendar before October 1582.
        calendar = new GregorianCalendar(kind == Kind.INSTANT ? TimeZone.getTimeZone("UTC") : TimeZone.getDefault());
        LocalDate plain = MODERN;
        for (ZoneOffsetTransition transition : rules.getTransitions()) {
            // A few islands once skipped a day.
            LocalDate after = transition.getDateTimeAfter().toLocalDate().plusDays(1);
            if (transition.getDuration().getSeconds() >= DAY_SECONDS - 3_600 && after.isAfter(plain)) {
                plain = after;
            }
        }
        plainDays = plain.toEpochDay();
        plainMicros = plainDays * DAY_MICROS;
    }

    /** What Spark has. */
    DataType type() {
        return switch (kind) {
            case DAY -> DataTypes.DateType;
            case LOCAL -> DataTypes.TimestampNTZType;
            default -> DataTypes.TimestampType;
        };
    }

    /** Days since 1970-01-01. */
    int days(int days) {
        if (days >= plainDays && days < MINUS_INFINITE_DAYS) {
            return days;
        }
        long millis = days == INFINITE_DAYS
                ? INFINITE_MILLIS
                : days == MINUS_INFINITE_DAYS
                        ? MINUS_INFINITE_MILLIS
                        : millis(LocalDate.ofEpochDay(days).atStartOfDay());
        return DateTimeUtils.fromJavaDate(dialect.convertJavaDateToDate(new Date(millis)));
    }

    /** Microseconds since 1970-01-01. */
    long micros(long micros) {
        if (micros < plainMicros || micros >= MINUS_INFINITE_MICROS) {
            return exact(micros);
        }
        if (kind == Kind.INSTANT) {
            return micros;
        }
        long found = Math.floorDiv(micros, QUARTER);
        if (found != quarter) {
            long start = found * QUARTER;
            long first = exact(start) - start;
            long last = exact(start + QUARTER - 1) - (start + QUARTER - 1);
            if (first != last) {
                return exact(micros);
            }
            quarter = found;
            moved = first;
        }
        return micros + moved;
    }

    private long exact(long micros) {
        Timestamp time = timestamp(micros);
        return kind == Kind.LOCAL
                ? DateTimeUtils.localDateTimeToMicros(dialect.convertJavaTimestampToTimestampNTZ(time))
                : DateTimeUtils.fromJavaTimestamp(dialect.convertJavaTimestampToTimestamp(time));
    }

    /** As PostgreSQL's driver makes it. */
    private Timestamp timestamp(long micros) {
        if (micros == INFINITE_MICROS || micros == MINUS_INFINITE_MICROS) {
            return new Timestamp(micros == INFINITE_MICROS ? INFINITE_MILLIS : MINUS_INFINITE_MILLIS);
        }
        long seconds = Math.floorDiv(micros, 1_000_000L);
        int nanos = (int) Math.floorMod(micros, 1_000_000L) * 1_000;
        // The driver reads an instant as the server writes it: by the clocks of the session's zone, with their offset.
        int offset = kind == Kind.INSTANT
                ? rules.getOffset(Instant.ofEpochSecond(seconds)).getTotalSeconds()
                : 0;
        long millis = millis(LocalDateTime.ofEpochSecond(seconds + offset, 0, ZoneOffset.UTC)) - offset * 1_000L;
        Timestamp time = new Timestamp(millis);
        time.setNanos(nanos);
        return time;
    }

    private long millis(LocalDateTime time) {
        int year = time.getYear();
        calendar.clear();
        calendar.set(Calendar.ERA, year > 0 ? GregorianCalendar.AD : GregorianCalendar.BC);
        calendar.set(Calendar.YEAR, year > 0 ? year : 1 - year);
        calendar.set(Calendar.MONTH, time.getMonthValue() - 1);
        calendar.set(Calendar.DAY_OF_MONTH, time.getDayOfMonth());
        calendar.set(Calendar.HOUR_OF_DAY, time.getHour());
        calendar.set(Calendar.MINUTE, time.getMinute());
        calendar.set(Calendar.SECOND, time.getSecond());
        return calendar.getTimeInMillis();
    }
}
