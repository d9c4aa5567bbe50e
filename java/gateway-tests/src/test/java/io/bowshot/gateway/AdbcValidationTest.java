package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs ADBC's validation suites; what fails is what a gateway that only reads cannot do, and nothing else. */
class AdbcValidationTest {
    private static final String NO_TABLE_SCHEMA = "the driver has no getTableSchema";

    private static final String READ_ONLY = "nothing is written, so that there are no transactions";
    private static final String ONE_ROW = "a query takes one row of parameters";
    /** GetObjectsMetadataReaders writes {@code xdbc_auto_increment}, ADBC's schema has {@code xdbc_is_autoincrement}. */
    private static final String AUTO_INCREMENT = "the driver fails where the server tells which columns count up";

    /** The cases that do not pass, and why. */
    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry("bigintType()", NO_TABLE_SCHEMA),
            Map.entry("blobType()", NO_TABLE_SCHEMA),
            Map.entry("booleanType()", NO_TABLE_SCHEMA),
            Map.entry("dateType()", NO_TABLE_SCHEMA),
            Map.entry("intType()", NO_TABLE_SCHEMA),
            Map.entry("smallintType()", NO_TABLE_SCHEMA),
            Map.entry("textType()", NO_TABLE_SCHEMA),
            Map.entry("timeWithoutTimeZoneType()", NO_TABLE_SCHEMA),
            Map.entry("timestampWithTimeZoneType()", NO_TABLE_SCHEMA),
            Map.entry("timestampWithoutTimeZoneType()", NO_TABLE_SCHEMA),
            Map.entry("getObjectsColumns()", AUTO_INCREMENT),
            Map.entry("getObjectsConstraints()", AUTO_INCREMENT),
            Map.entry("getTableSchema()", NO_TABLE_SCHEMA),
            Map.entry("getTableSchemaDoesNotExist()", NO_TABLE_SCHEMA),
            Map.entry("getTableTypes()", "the driver does not ask for them"),
            Map.entry("autoCommitByDefault()", READ_ONLY),
            Map.entry("commit()", READ_ONLY),
            Map.entry("rollback()", READ_ONLY),
            Map.entry("toggleAutoCommit()", READ_ONLY),
            Map.entry("enableAutoCommitAlsoCommits()", READ_ONLY),
            Map.entry("currentCatalog()", "the suite leaves it out for databases without a current catalog"),
            Map.entry("bulkIngestAppendConflict()", "PostgreSQL takes the suite's NULL for a column of any type"),
            Map.entry("prepareQueryWithParameters()", ONE_ROW),
            Map.entry("prepareQueryWithParametersNoOp()", ONE_ROW),
            Map.entry(
                    "timestampWithoutTimeZoneValue()",
                    "the suite wants a number where the vector of the type yields a LocalDateTime"));

    @Test
    void theSuitesPassButForWhatIsKnown() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        selectClass(AdbcSuites.Connections.class),
                        selectClass(AdbcSuites.Metadata.class),
                        selectClass(AdbcSuites.Partitions.class),
                        selectClass(AdbcSuites.Types.class),
                        selectClass(AdbcSuites.Statements.class),
                        selectClass(AdbcSuites.Transactions.class))
                .build();
        Map<String, String> failed = new TreeMap<>();
        int[] passed = new int[1];
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (!test.isTest()) {
                    return;
                }
                if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                    passed[0]++;
                } else {
                    String reason =
                            result.getThrowable().map(Throwable::toString).orElse("");
                    failed.put(test.getLegacyReportingName(), reason);
                }
            }
        });
        System.out.println("ADBC validation (Java): " + passed[0] + " of " + (passed[0] + failed.size()) + " cases");
        failed.forEach((name, reason) -> System.out.println("  not: " + name + ": "
                + KNOWN.getOrDefault(name, reason.lines().findFirst().orElse(""))));
        assertEquals(new TreeSet<>(KNOWN.keySet()), new TreeSet<>(failed.keySet()));
    }
}
