package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Limits, cancelling, the catalog in the URL, and what may not be done. */
class JdbcSessionTest {
    @Test
    void theCatalogInTheUrlNamesTheSource() throws SQLException {
        Connection connection = Served.get().gateway("&user=anybody&password=any&catalog=shop");
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM orders")) {
            assertTrue(rows.next());
            assertEquals(Served.ORDERS, rows.getLong(1));
        }
        assertTheSecondCloseIsToldOf(connection);
    }

    @Test
    void aCatalogThatNobodyServesIsRefused() {
        SQLException error = assertThrows(
                SQLException.class, () -> Served.get().gateway("&user=anybody&password=any&catalog=nowhere"));
        assertTrue(error.getMessage().contains("Cannot set session option for catalog"), error.getMessage());
    }

    /** With a catalog the driver ends the session twice, the second time over a channel that it has closed already. */
    private static void assertTheSecondCloseIsToldOf(Connection connection) {
        SQLException error = assertThrows(SQLException.class, connection::close);
        assertEquals("Channel shutdown invoked", error.getMessage());
    }

    @Test
    void whatIsInTheUrlAndUnknownIsAHeader() throws SQLException {
        String options = "&note=" + "x".repeat(20_000);
        try (Connection connection = Served.get().gateway(options);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1")) {
            assertTrue(rows.next());
        }
    }

    @Test
    void atMostSoManyRowsAreHandedOut() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement()) {
            statement.setMaxRows(5);
            int count = 0;
            try (ResultSet rows = statement.executeQuery("SELECT id FROM orders")) {
                while (rows.next()) {
                    count++;
                }
            }
            assertEquals(5, count);
        }
    }

    @Test
    void aCancelledStatementEndsInTheDatabase() throws Exception {
        String mark = "SELECT /* cancelled by JDBC */ n, pg_sleep(0.001) FROM generate_series(1, 1000000) n";
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                Connection database = Served.get().database()) {
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> {
                try {
                    await(database, mark, 1);
                    statement.cancel();
                } catch (SQLException error) {
                    throw new IllegalStateException(error);
                }
            });
            assertThrows(SQLException.class, () -> {
                try (ResultSet rows = statement.executeQuery(mark)) {
                    while (rows.next()) {
                        rows.getLong(1);
                    }
                }
            });
            stopped.get(60, TimeUnit.SECONDS);
            await(database, mark, 0);
        }
    }

    @Test
    void aClosedResultEndsInTheDatabase() throws SQLException {
        String mark = "SELECT /* closed by JDBC */ n, repeat('x', 1000) FROM generate_series(1, 20000000) n";
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                Connection database = Served.get().database()) {
            ResultSet rows = statement.executeQuery(mark);
            assertTrue(rows.next());
            await(database, mark, 1);
            rows.close();
            statement.close();
            connection.close();
            await(database, mark, 0);
        }
    }

    /** Waits until so many sessions of PostgreSQL run a query with the first words of this one. */
    private static void await(Connection database, String sql, int count) throws SQLException {
        String mark = sql.substring(sql.indexOf("/*"), sql.indexOf("*/"));
        for (int tries = 0; tries < 400; tries++) {
            try (PreparedStatement asked = database.prepareStatement("SELECT count(*) FROM pg_stat_activity"
                    + " WHERE state = 'active' AND position(? in query) > 0 AND pid <> pg_backend_pid()")) {
                asked.setString(1, mark);
                try (ResultSet rows = asked.executeQuery()) {
                    rows.next();
                    if ((rows.getInt(1) > 0) == (count > 0)) {
                        return;
                    }
                }
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }
        throw new AssertionError("no session count of " + count + ": " + sql);
    }

    @Test
    void nothingIsChanged() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement()) {
            for (String sql : new String[] {"CREATE TABLE made (n int)", "DELETE FROM orders"}) {
                assertThrows(SQLException.class, () -> statement.execute(sql));
                assertThrows(SQLException.class, () -> statement.executeUpdate(sql));
            }
        }
        try (Connection database = Served.get().database();
                Statement statement = database.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*), to_regclass('made') IS NULL FROM orders")) {
            assertTrue(rows.next());
            assertEquals(Served.ORDERS, rows.getLong(1));
            assertTrue(rows.getBoolean(2));
        }
    }

    @Test
    void aConnectionIsValidUntilItIsClosed() throws SQLException {
        Connection connection = Served.get().gateway("");
        assertTrue(connection.isValid(10));
        connection.close();
        assertTrue(connection.isClosed());
        assertFalse(connection.isValid(1));
    }
}
