package io.bowshot.spark;

import io.bowshot.BowshotException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.Partition;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.planning.PhysicalOperation;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.DataSourceStrategy$;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCPartition;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * Plans reads of Spark's JDBC source as scans of Bowshot's, where rows, types and values are the same.
 *
 * <p>It stands where Spark decides what the database is told: Spark's own code chooses the columns and compiles the filters, and Bowshot sends that
 * SQL. What is left to Spark stays above it.
 */
final class DropInJdbc extends SparkStrategy {
    /** By which a session leaves databases to Spark and keeps files. */
    private static final String SWITCH = "spark.bowshot.dropin.jdbc";

    /** How long what was looked at is taken for the same: adaptive execution plans a query several times. */
    private static final long FRESH_MILLIS = 60_000;

    private static final AtomicBoolean FAILED = new AtomicBoolean();
    private static final Map<JDBCRelation, Map<Asking, Looked>> LOOKS = new WeakHashMap<>();

    /** What is looked at, as whom, and with which settings: the JVM's time zone is one of them. */
    private record Asking(DropInJdbcAddress address, String sql) {}

    private record Looked(Look look, long at) {}

    static void injectInto(SparkSessionExtensions extensions) {
        extensions.injectPlannerStrategy(new AbstractFunction1<SparkSession, SparkStrategy>() {
            @Override
            public SparkStrategy apply(SparkSession session) {
                return new DropInJdbc();
            }
        });
    }

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        SQLConf conf = SQLConf.get();
        if (!DropInRule.isOn(conf) || !Boolean.parseBoolean(conf.getConfString(SWITCH, "true"))) {
            return none();
        }
        try {
            Option<Tuple3<Seq<NamedExpression>, Seq<Expression>, LogicalPlan>> parts = PhysicalOperation.unapply(plan);
            if (parts.isEmpty()
                    || !(parts.get()._3() instanceof LogicalRelation relation)
                    || !(relation.relation() instanceof JDBCRelation source)) {
                return none();
            }
            return seq(List.of(planLater(
                    read(relation, source, parts.get()._1(), parts.get()._2()))));
        } catch (DropInFile.Left reason) {
            DropIn.LOG.info("Bowshot leaves a read of JDBC to Spark: {}", reason.getMessage());
        } catch (BowshotException error) {
            DropIn.LOG.info("Bowshot leaves a read of JDBC to Spark: it cannot be planned: {}", error.getMessage());
        } catch (LinkageError error) {
            if (FAILED.compareAndSet(false, true)) {
                DropIn.LOG.warn("Bowshot does not know this version of Spark, which reads JDBC by itself", error);
            }
        }
        return none();
    }

    /** The same rows as Spark's own strategy plans them, from Bowshot's scan. */
    private static LogicalPlan read(
            LogicalRelation relation, JDBCRelation source, Seq<NamedExpression> projects, Seq<Expression> conditions)
            throws DropInFile.Left {
        DropInJdbcAddress address = DropInJdbcAddress.of(source.jdbcOptions());
        checkPartitions(source);
        if (isCaching()) {
            throw new DropInFile.Left(
                    "it fills a cache, and would keep the table from being replaced as long as that lives");
        }
        Seq<Expression> filters = DataSourceStrategy$.MODULE$.normalizeExprs(conditions, attributes(relation));
        Tuple3<
                        Seq<Expression>,
                        Seq<org.apache.spark.sql.sources.Filter>,
                        scala.collection.immutable.Set<org.apache.spark.sql.sources.Filter>>
                selected = DataSourceStrategy$.MODULE$.selectFilters(source, filters);

        List<Expression> above = new ArrayList<>(CollectionConverters.asJava(selected._1()));
        List<Expression> users = new ArrayList<>(above);
        CollectionConverters.asJava(projects).forEach(project -> users.add((Expression) project));
        List<AttributeReference> needed = new ArrayList<>();
        for (AttributeReference attribute : CollectionConverters.asJava(relation.output())) {
            if (users.stream().anyMatch(user -> user.references().contains(attribute))) {
                needed.add(attribute);
            }
        }

        DropInJdbcQuery query = new DropInJdbcQuery(source.jdbcOptions(), needed, selected._2());
        Look look = look(source, address, query.sql());
        DropInJdbcScan scan = DropInJdbcScan.of(look, needed);
        int tasks = source.parts().length;
        if (tasks > 1 && scan.planInputPartitions().length == 1) {
            throw new DropInFile.Left("Spark reads it with " + tasks + " tasks, and Bowshot could only with one");
        }

        DataSourceV2Relation table =
                DataSourceV2Relation.create(new BowshotTable(look, look.schema()), Option.empty(), Option.empty());
        LogicalPlan read = scanned(table, scan, seq(needed));
        LogicalPlan filtered = above.stream()
                .reduce(And::new)
                .map(all -> (LogicalPlan) new Filter(all, read))
                .orElse(read);
        return new Project(projects, filtered);
    }

    /** Partitions of a user's own conditions may have other rows than the table, but those of ranges of a column have each row once. */
    private static void checkPartitions(JDBCRelation source) throws DropInFile.Left {
        SQLConf conf = SQLConf.get();
        Partition[] ranges = JDBCRelation.columnPartition(
                source.schema(), conf.resolver(), conf.sessionLocalTimeZone(), source.jdbcOptions());
        if (!Arrays.equals(conditions(source.parts()), conditions(ranges))) {
            throw new DropInFile.Left("its partitions are conditions of its own");
        }
    }

    /** Whether Spark plans a cache: its own code for that is what calls. */
    private static boolean isCaching() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .anyMatch(name -> name.startsWith("org.apache.spark.sql.execution.CacheManager")
                                || name.startsWith("org.apache.spark.sql.execution.columnar.InMemoryRelation")
                                || name.startsWith("org.apache.spark.sql.execution.columnar.CachedRDDBuilder")));
    }

    private static String[] conditions(Partition[] parts) {
        return Arrays.stream(parts)
                .map(part -> ((JDBCPartition) part).whereClause())
                .toArray(String[]::new);
    }

    /** Looks at a query, once for all plans of a DataFrame that are made soon after each other: they may share a state of the database. */
    private static Look look(JDBCRelation source, DropInJdbcAddress address, String sql) {
        long now = System.currentTimeMillis();
        Asking asking = new Asking(address, sql);
        synchronized (LOOKS) {
            Looked known = LOOKS.computeIfAbsent(source, of -> new HashMap<>()).get(asking);
            if (known != null && now - known.at < FRESH_MILLIS) {
                return known.look;
            }
        }
        Look look = Look.at(address.asked(sql));
        synchronized (LOOKS) {
            Map<Asking, Looked> all = LOOKS.computeIfAbsent(source, of -> new HashMap<>());
            all.values().removeIf(other -> now - other.at >= FRESH_MILLIS);
            all.put(asking, new Looked(look, now));
        }
        return look;
    }

    /** A scan in a plan. It has more parts in some versions, which are left as they are by default. */
    private static LogicalPlan scanned(DataSourceV2Relation table, Scan scan, Seq<AttributeReference> output) {
        try {
            Class<?> companion = Class.forName(DataSourceV2ScanRelation.class.getName() + "$");
            Object module = companion.getField("MODULE$").get(null);
            for (Method method : companion.getMethods()) {
                if (method.getName().equals("apply") && method.getReturnType() == DataSourceV2ScanRelation.class) {
                    Object[] parts = new Object[method.getParameterCount()];
                    parts[0] = table;
                    parts[1] = scan;
                    parts[2] = output;
                    for (int i = 3; i < parts.length; i++) {
                        parts[i] =
                                companion.getMethod("apply$default$" + (i + 1)).invoke(module);
                    }
                    return (LogicalPlan) method.invoke(module, parts);
                }
            }
        } catch (ReflectiveOperationException error) {
            throw new LinkageError("DataSourceV2ScanRelation.apply", error);
        }
        throw new LinkageError("DataSourceV2ScanRelation.apply is missing");
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Scala's sequences of a class are those of what it extends.
    private static Seq<org.apache.spark.sql.catalyst.expressions.Attribute> attributes(LogicalRelation relation) {
        return (Seq) relation.output();
    }

    private static <T> Seq<T> seq(List<T> all) {
        return CollectionConverters.asScala(all).toSeq();
    }

    private static Seq<SparkPlan> none() {
        return seq(List.of());
    }
}
