package io.bowshot.spark;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/** Gives Spark's relations of Parquet files {@link DropInFormat} for a format, and leaves all else of a plan alone. */
final class DropInRule extends Rule<LogicalPlan> {
    /** By which a session turns it off. */
    private static final String SWITCH = "spark.bowshot.dropin";

    /** Catalyst takes a relation of a subclass of the format for the same one, and would keep the old one: an option makes them differ. */
    private static final String MARK = "io.bowshot.spark.dropin";

    private static final AtomicBoolean FAILED = new AtomicBoolean();

    static void injectInto(SparkSessionExtensions extensions) {
        extensions.injectOptimizerRule(new AbstractFunction1<SparkSession, Rule<LogicalPlan>>() {
            @Override
            public Rule<LogicalPlan> apply(SparkSession session) {
                return new DropInRule();
            }
        });
        DropInJdbc.injectInto(extensions);
    }

    /** Whether a session reads through Bowshot. */
    static boolean isOn(SQLConf conf) {
        return Boolean.parseBoolean(conf.getConfString(SWITCH, "true"));
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (!isOn(SQLConf.get())) {
            return plan;
        }
        try {
            return plan.transformDown(new Swap());
        } catch (LinkageError error) {
            if (FAILED.compareAndSet(false, true)) {
                DropIn.LOG.warn("Bowshot does not know this version of Spark, which reads Parquet by itself", error);
            }
            return plan;
        }
    }

    private static final class Swap extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
        @Override
        public boolean isDefinedAt(LogicalPlan plan) {
            // Subclasses are formats of their own: Delta's leaves out rows.
            return plan instanceof LogicalRelation relation
                    && relation.relation() instanceof HadoopFsRelation files
                    && files.fileFormat().getClass() == ParquetFileFormat.class;
        }

        @Override
        @SuppressWarnings("unchecked") // Scala's types of partial functions, which are not checked at run time either.
        public <A extends LogicalPlan, B> B applyOrElse(A plan, Function1<A, B> otherwise) {
            if (!isDefinedAt(plan)) {
                return otherwise.apply(plan);
            }
            LogicalRelation relation = (LogicalRelation) (LogicalPlan) plan;
            HadoopFsRelation files = (HadoopFsRelation) relation.relation();
            HadoopFsRelation through = new HadoopFsRelation(
                    files.location(),
                    files.partitionSchema(),
                    files.dataSchema(),
                    files.bucketSpec(),
                    new DropInFormat(),
                    files.options().updated(MARK, "true"),
                    files.sparkSession());
            return (B) copy(relation, through);
        }
    }

    /** The relation over other files. Its copy has one parameter more in some versions. */
    private static LogicalRelation copy(LogicalRelation relation, HadoopFsRelation files) {
        try {
            for (Method method : LogicalRelation.class.getMethods()) {
                if (method.getName().equals("copy") && method.getParameterCount() > 0) {
                    Object[] parts = new Object[method.getParameterCount()];
                    parts[0] = files;
                    for (int i = 1; i < parts.length; i++) {
                        parts[i] = LogicalRelation.class
                                .getMethod("copy$default$" + (i + 1))
                                .invoke(relation);
                    }
                    return (LogicalRelation) method.invoke(relation, parts);
                }
            }
        } catch (ReflectiveOperationException error) {
            throw new LinkageError("LogicalRelation.copy", error);
        }
        throw new LinkageError("LogicalRelation.copy is missing");
    }
}
