package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the stock JDBC driver reads through the gateway is what PostgreSQL's own driver reads. */
class JdbcReadingTest {
    private static final String COLUMNS = "id, customer, small, paid, price, weight, ratio, day, placed, note, photo";

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void everyCellIsTheDatabasesOwn(int endpoints) throws SQLException {
        Map<Long, String> expected;
        try (Connection connection = Served.get().database()) {
            expected = rows(connection);
        }
        try (Connection connection = Served.get().gateway("&bowshot-endpoints=" + endpoints)) {
            assertEquals(expected, rows(connection));
        }
        assertEquals(Served.ORDERS, expected.size());
    }

    /** Every column by the getter of its type, by the key. */
    private static Map<Long, String> rows(Connection connection) throws SQLException {
        Map<Long, String> found = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + COLUMNS + " FROM orders")) {
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                row.append(rows.getInt(2)).append('|').append(rows.getShort(3)).append('|');
                row.append(rows.getBoolean(4))
                        .append('|')
                        .append(rows.getBigDecimal(5))
                        .append('|');
                double weight = rows.getDouble(6);
                row.append(rows.wasNull() ? "null" : weight)
                        .append('|')
                        .append(rows.getFloat(7))
                        .append('|');
                row.append(rows.getDate(8))
                        .append('|')
                        .append(rows.getTimestamp(9))
                        .append('|');
                row.append(rows.getString(10)).append('|');
                byte[] photo = rows.getBytes(11);
                row.append(photo == null ? "null" : java.util.HexFormat.of().formatHex(photo));
                assertEquals(null, found.put(rows.getLong(1), row.toString()), "a row comes once");
            }
        }
        return found;
    }

    @Test
    void columnsHaveTheirTypesAndNames() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + COLUMNS + " FROM orders WHERE id = 1")) {
            ResultSetMetaData columns = rows.getMetaData();
            int[] types = {
                Types.BIGINT,
                Types.INTEGER,
                Types.SMALLINT,
                Types.BOOLEAN,
                Types.DECIMAL,
                Types.DOUBLE,
                Types.FLOAT,
                Types.DATE,
                Types.TIMESTAMP,
                Types.VARCHAR,
                Types.VARBINARY
            };
            String[] names = COLUMNS.split(", ");
            assertEquals(types.length, columns.getColumnCount());
            for (int column = 1; column <= types.length; column++) {
                assertEquals(names[column - 1], columns.getColumnName(column));
                assertEquals(types[column - 1], columns.getColumnType(column), names[column - 1]);
            }
        }
    }

    @Test
    void anOrderIsKept() throws SQLException {
        try (Connection connection = Served.get().gateway("&bowshot-endpoints=8");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM orders ORDER BY id DESC")) {
            for (long id = Served.ORDERS; id > 0; id--) {
                assertTrue(rows.next());
                assertEquals(id, rows.getLong(1));
            }
            assertFalse(rows.next());
        }
    }

    @Test
    void noRowsAreNone() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM orders WHERE false")) {
            // The driver counts the columns of an empty result twice.
            assertEquals("photo", rows.getMetaData().getColumnName(11));
            assertFalse(rows.next());
        }
    }

    @Test
    void longTextsAndBytesArrive() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT repeat('ü', 5000000), decode(repeat('00ff', 2000000), 'hex') FROM generate_series(1, 2)")) {
            for (int row = 0; row < 2; row++) {
                assertTrue(rows.next());
                assertEquals("ü".repeat(5_000_000), rows.getString(1));
                byte[] bytes = rows.getBytes(2);
                assertEquals(4_000_000, bytes.length);
                assertArrayEquals(new byte[] {0, -1, 0, -1}, java.util.Arrays.copyOf(bytes, 4));
            }
        }
    }

    @Test
    void arraysAndUnusualTypesAreReadable() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT array[1, NULL, 3], time '01:02:03.004',"
                        + " timestamptz '2024-02-29 12:00:00+00', '{\"a\": 1}'::jsonb, uuid '123e4567-e89b-12d3-a456-426655440000',"
                        + " 'NaN'::float8, 123456789012345678901234567890.5::numeric(40, 1)")) {
            assertTrue(rows.next());
            assertArrayEquals(
                    new Object[] {1, null, 3}, (Object[]) rows.getArray(1).getArray());
            assertEquals(java.time.LocalTime.of(1, 2, 3), rows.getTime(2).toLocalTime());
            assertEquals(
                    java.time.Instant.parse("2024-02-29T12:00:00Z"),
                    rows.getTimestamp(3).toInstant());
            assertEquals("{\"a\": 1}", rows.getString(4));
            // The driver takes no notice of extension types: a UUID is its 16 bytes.
            assertEquals(
                    "123e4567e89b12d3a456426655440000", java.util.HexFormat.of().formatHex(rows.getBytes(5)));
            assertTrue(Double.isNaN(rows.getDouble(6)));
            assertEquals(new java.math.BigDecimal("123456789012345678901234567890.5"), rows.getBigDecimal(7));
        }
    }

    @Test
    void anErrorNamesWhatIsWrong() throws SQLException {
        try (Connection connection = Served.get().gateway("");
                Statement statement = connection.createStatement()) {
            SQLException error =
                    assertThrows(SQLException.class, () -> statement.executeQuery("SELECT nonsense FROM orders"));
            assertTrue(whole(error).contains("column \"nonsense\" does not exist"), whole(error));
            // The driver lets Flight's own exception through here.
            Exception broken = assertThrows(Exception.class, () -> {
                try (ResultSet rows = statement.executeQuery("SELECT 1 / (id - 59999) FROM orders")) {
                    while (rows.next()) {
                        rows.getLong(1);
                    }
                }
            });
            assertTrue(whole(broken).contains("division by zero"), whole(broken));
            try (ResultSet rows = statement.executeQuery("SELECT 1")) {
                assertTrue(rows.next());
            }
        }
    }

    private static String whole(Throwable error) {
        return error == null ? "" : error.getMessage() + " / " + whole(error.getCause());
    }
}
