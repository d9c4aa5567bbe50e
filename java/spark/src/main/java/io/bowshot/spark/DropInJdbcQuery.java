package io.bowshot.spark;

import io.bowshot.spark.DropInFile.Left;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.jdbc.JdbcDialect;
import org.apache.spark.sql.jdbc.JdbcDialects;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import scala.Option;
import scala.collection.immutable.Seq;

/** The SQL that Spark's JDBC source would send, for all of its partitions at once. */
final class DropInJdbcQuery {
    /** What stands before a parenthesis. */
    private static final Pattern CALL =
            Pattern.compile("([\\w$]++|\"[^\"]*\")\\s*+\\(", Pattern.UNICODE_CHARACTER_CLASS);

    private static final Pattern LOCKS = Pattern.compile("\\bfor\\s+(no|update|share|key)\\b");

    /** Words that stand before a parenthesis, and functions that write nothing: Bowshot's transactions only read. */
    private static final Set<String> HARMLESS = Set.of(
            ("abs age all and any array_agg array_length array_to_string as avg between btrim bool_and bool_or by case cast ceil ceiling char"
                            + " char_length character chr coalesce concat concat_ws count cume_dist date_part date_trunc decimal dense_rank"
                            + " distinct else encode end except exists exp extract filter first_value float floor format from generate_series"
                            + " greatest group grouping having ilike in initcap intersect interval isfinite join json_agg json_build_object jsonb_agg"
                            + " jsonb_build_object lag last_value lateral lead least left length like limit ln log lower lpad ltrim make_date"
                            + " materialized max md5 min mod not now nth_value ntile nullif numeric octet_length offset on or over partition"
                            + " percent_rank percentile_cont percentile_disc position power rank regexp_matches regexp_replace repeat replace"
                            + " reverse right rollup round row row_number row_to_json rpad rtrim select sign some split_part sqrt starts_with"
                            + " stddev string_agg strpos substr substring sum then time timestamp timestamptz to_char to_date to_jsonb"
                            + " to_number to_timestamp translate trim trunc union unnest upper using values varchar variance when where"
                            + " width_bucket with within")
                    .split(" "));

    private final String sql;

    /**
     * Makes the SQL.
     *
     * @param columns those that are needed, of the source's schema
     * @param filters those that Spark's source is given
     */
    DropInJdbcQuery(JDBCOptions options, List<AttributeReference> columns, Seq<Filter> filters) throws Left {
        String from = options.tableOrQuery();
        check(from);
        JdbcDialect dialect = JdbcDialects.get(options.url());
        List<String> selected = new ArrayList<>();
        for (AttributeReference column : columns) {
            selected.add(selected(dialect.quoteIdentifier(column.name()), column.dataType()));
        }
        List<String> conditions = new ArrayList<>();
        for (int i = 0; options.pushDownPredicate() && i < filters.size(); i++) {
            Option<String> compiled = dialect.compileExpression(filters.apply(i).toV2());
            if (compiled.isDefined()) {
                conditions.add("(" + compiled.get() + ")");
            }
        }
        sql = "SELECT " + (selected.isEmpty() ? "1" : String.join(", ", selected)) + " FROM " + from
                + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions));
    }

    String sql() {
        return sql;
    }

    /**
     * Bowshot has no value for infinite dates and times: {@link DropInJdbcTimes} knows what stands for them. What really is that day, in the year 5874896
     * or 294246, is an error: the words are no interval, and no number of days.
     */
    private static String selected(String name, DataType type) {
        boolean isDate = type instanceof DateType;
        if (!isDate && !(type instanceof TimestampType) && !(type instanceof TimestampNTZType)) {
            return name;
        }
        String infinite = isDate ? DropInJdbcTimes.INFINITE_DAY : DropInJdbcTimes.INFINITE_TIME;
        String minus = isDate ? DropInJdbcTimes.MINUS_INFINITE_DAY : DropInJdbcTimes.MINUS_INFINITE_TIME;
        return "CASE WHEN " + name + " = 'infinity' THEN '" + infinite + "' WHEN " + name + " = '-infinity' THEN '"
                + minus + "' WHEN " + name + " BETWEEN '" + minus + "' AND '" + infinite + "' THEN " + name
                + " + ('Bowshot has infinity instead of ' || " + name + ")::" + (isDate ? "int" : "interval") + " ELSE "
                + name + " END AS " + name;
    }

    /** What a user's own SQL must not do. */
    private static void check(String from) throws Left {
        String text = from.toLowerCase(Locale.ROOT);
        if (text.contains("--") || text.contains("/*")) {
            throw new Left("its SQL has comments");
        }
        if (LOCKS.matcher(text).find()) {
            throw new Left("its SQL locks rows");
        }
        Matcher calls = CALL.matcher(text);
        while (calls.find()) {
            boolean isOfSchema =
                    text.substring(0, calls.start()).stripTrailing().endsWith(".");
            if (isOfSchema || !HARMLESS.contains(calls.group(1))) {
                throw new Left("its SQL has \"" + calls.group(1) + " (…)\", which might write");
            }
        }
    }
}
