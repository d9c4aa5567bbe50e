package io.bowshot.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Learns which columns, rows and how many of them Spark needs.
 *
 * <p>Spark filters what arrives once more: a source leaves out what it knows to be none of it.
 */
final class BowshotScanBuilder
        implements SupportsPushDownRequiredColumns,
                SupportsPushDownV2Filters,
                SupportsPushDownAggregates,
                SupportsPushDownLimit {
    private final Look look;
    private StructType columns;
    private Predicate[] pushed = {};
    private int limit = -1;
    /** What is read in place of rows; null where rows are read. */
    private FactsScan facts;

    BowshotScanBuilder(Look look, StructType schema) {
        this.look = look;
        columns = schema;
    }

    @Override
    public void pruneColumns(StructType required) {
        // Whole columns: what Spark needs of a struct it takes from it.
        List<StructField> kept = new ArrayList<>();
        for (StructField field : required.fields()) {
            kept.add(columns.apply(field.name()));
        }
        columns = new StructType(kept.toArray(StructField[]::new));
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        List<Predicate> known = new ArrayList<>();
        for (Predicate predicate : predicates) {
            if (Filters.isKnown(predicate)) {
                known.add(predicate);
            }
        }
        pushed = known.toArray(Predicate[]::new);
        return predicates;
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushed;
    }

    /** Only what is known of all rows: there is no other way to answer aggregates. */
    @Override
    public boolean supportCompletePushDown(Aggregation aggregation) {
        return pushAggregation(aggregation);
    }

    @Override
    public boolean pushAggregation(Aggregation aggregation) {
        if (pushed.length > 0 || limit >= 0 || !look.hasFacts()) {
            return false;
        }
        Facts asked = Facts.of(aggregation, look);
        if (asked == null) {
            facts = null;
        } else if (facts == null || !facts.asks(asked)) {
            // Spark asks twice.
            facts = asked.areKnown() ? new FactsScan(asked) : null;
        }
        return facts != null;
    }

    @Override
    public boolean pushLimit(int limit) {
        if (pushed.length > 0) {
            return false;
        }
        this.limit = limit;
        return true;
    }

    @Override
    public Scan build() {
        return facts != null ? facts : new BowshotScan(look, columns, List.of(pushed), limit);
    }
}
