package io.bowshot.gateway;

import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.adbc.core.AdbcDatabase;
import org.apache.arrow.adbc.core.AdbcDriver;
import org.apache.arrow.adbc.core.AdbcException;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlDriver;
import org.apache.arrow.adbc.driver.testsuite.SqlValidationQuirks;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.TimeUnit;

/** What ADBC's validation suite must know of a gateway in front of PostgreSQL. */
final class AdbcQuirks extends SqlValidationQuirks {
    @Override
    public AdbcDatabase initDatabase(BufferAllocator allocator) throws AdbcException {
        Map<String, Object> options = new HashMap<>();
        AdbcDriver.PARAM_URI.set(options, "grpc+tcp://127.0.0.1:" + Served.get().port());
        return Writer.writing(new FlightSqlDriver(allocator).open(options));
    }

    @Override
    public void cleanupTable(String name) throws AdbcException {
        Writer.execute("DROP TABLE IF EXISTS " + name + " CASCADE");
    }

    @Override
    public String defaultCatalog() {
        return "shop";
    }

    @Override
    public String defaultDbSchema() {
        return "store";
    }

    @Override
    public String caseFoldTableName(String name) {
        return name.toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public String caseFoldColumnName(String name) {
        return name.toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public TimeUnit defaultTimeUnit() {
        return TimeUnit.MICROSECOND;
    }

    @Override
    public TimeUnit defaultTimestampUnit() {
        return TimeUnit.MICROSECOND;
    }
}
