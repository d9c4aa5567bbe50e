package io.bowshot.gateway;

import org.apache.arrow.adbc.driver.testsuite.AbstractConnectionMetadataTest;
import org.apache.arrow.adbc.driver.testsuite.AbstractConnectionTest;
import org.apache.arrow.adbc.driver.testsuite.AbstractPartitionDescriptorTest;
import org.apache.arrow.adbc.driver.testsuite.AbstractSqlTypeTest;
import org.apache.arrow.adbc.driver.testsuite.AbstractStatementTest;
import org.apache.arrow.adbc.driver.testsuite.AbstractTransactionTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** ADBC's validation suites, meant for this gateway. {@link AdbcValidationTest} runs them. */
final class AdbcSuites {
    private AdbcSuites() {}

    static class Connections extends AbstractConnectionTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }
    }

    static class Metadata extends AbstractConnectionMetadataTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }
    }

    static class Partitions extends AbstractPartitionDescriptorTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }
    }

    static class Types extends AbstractSqlTypeTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }

        @BeforeEach
        @Override
        public void beforeEach() throws Exception {
            super.beforeEach();
        }
    }

    static class Statements extends AbstractStatementTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }
    }

    static class Transactions extends AbstractTransactionTest {
        @BeforeAll
        static void meant() {
            quirks = new AdbcQuirks();
        }
    }
}
