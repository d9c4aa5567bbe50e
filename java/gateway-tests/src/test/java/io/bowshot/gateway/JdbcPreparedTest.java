package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parameters of the stock JDBC driver: a setter for every type, NULL, and a statement that runs again. */
class JdbcPreparedTest {
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = Served.get().gateway("");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    /** Sets the parameters of a statement. */
    private interface Setter {
        void set(PreparedStatement statement) throws SQLException;
    }

    /** Asks for one value. */
    private String asked(String sql, Setter setter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setter.set(statement);
            try (ResultSet rows = statement.executeQuery()) {
                assertTrue(rows.next());
                String value = rows.getString(1);
                assertFalse(rows.next());
                return value;
            }
        }
    }

    /** The driver binds a value only to the type that the server announces: the one that PostgreSQL infers. */
    @Test
    void everyTypeHasItsSetter() throws SQLException {
        assertEquals("7", asked("SELECT id FROM orders WHERE id = ?", s -> s.setLong(1, 7)));
        assertEquals("7", asked("SELECT id FROM orders WHERE id = ?", s -> s.setInt(1, 7)));
        assertEquals("7", asked("SELECT id FROM orders WHERE id = ?", s -> s.setObject(1, 7L)));
        assertEquals("8", asked("SELECT min(id) FROM orders WHERE small = ?", s -> s.setShort(1, (short) 8)));
        assertEquals("2", asked("SELECT min(id) FROM orders WHERE paid = ?", s -> s.setBoolean(1, true)));
        assertEquals("14", asked("SELECT id FROM orders WHERE weight = ?", s -> s.setDouble(1, 2.0)));
        assertEquals("0.25", asked("SELECT ?::float8", s -> s.setFloat(1, 0.25f)));
        assertEquals("12", asked("SELECT min(id) FROM orders WHERE ratio = ?", s -> s.setFloat(1, 4f)));
        assertEquals(
                "60", asked("SELECT min(id) FROM orders WHERE day = ?", s -> s.setDate(1, Date.valueOf("2020-03-01"))));
        assertEquals("13:14:15", asked("SELECT (?::time)::text", s -> s.setTime(1, Time.valueOf("13:14:15"))));
        assertEquals(
                "24",
                asked(
                        "SELECT id FROM orders WHERE placed = ?",
                        s -> s.setTimestamp(1, Timestamp.valueOf("2020-01-02 00:00:00.001"))));
        assertEquals("2", asked("SELECT id FROM orders WHERE note = ?", s -> s.setString(1, "nöte 🎯 2")));
        assertEquals("7", asked("SELECT id FROM orders WHERE photo = ?", s -> s.setBytes(1, new byte[] {0, 0, 0, 7})));
        assertEquals("9", asked("SELECT ?::int + ?::int", s -> {
            s.setInt(1, 4);
            s.setLong(2, 5);
        }));
    }

    /** What does not say its scale, or has none in Arrow, is text, which the database reads. */
    @Test
    void whatTheDriverCannotBindExactlyIsText() throws SQLException {
        assertEquals("8", asked("SELECT id FROM orders WHERE price = ?", s -> s.setString(1, "2.96")));
        assertEquals(
                "2024-02-29 12:00:00+00",
                asked(
                        "SELECT (?::timestamptz AT TIME ZONE 'UTC')::text || '+00'",
                        s -> s.setString(1, "2024-02-29 13:00:00+01")));
        assertEquals(
                "3f5bbf61-a4d5-4e22-8a36-d20b2b3ec4b4",
                asked("SELECT (?::uuid)::text", s -> s.setString(1, "3f5bbf61-a4d5-4e22-8a36-d20b2b3ec4b4")));
        assertEquals("it's ? $1", asked("SELECT ?::text", s -> s.setString(1, "it's ? $1")));
        assertEquals("", asked("SELECT ?::text", s -> s.setString(1, "")));
    }

    /** Of files, the gateway's engine knows the scale; the driver binds no other. */
    @Test
    void decimalsOfFilesAreBoundWithTheirScale() throws Exception {
        Path file = Files.createTempFile("prices", ".csv");
        try {
            Files.writeString(file, "id,price,day\n1,1.50,2024-02-28\n2,2.96,2024-02-29\n");
            int port = Served.get().another("lake=" + file);
            String url = "jdbc:arrow-flight-sql://127.0.0.1:" + port + "/?useEncryption=false";
            try (Connection both = DriverManager.getConnection(url);
                    PreparedStatement statement = both.prepareStatement(
                            "SELECT id FROM lake.data WHERE CAST(price AS decimal(9, 2)) = ? AND day > ?")) {
                statement.setBigDecimal(1, new BigDecimal("2.96"));
                statement.setDate(2, Date.valueOf("2024-02-28"));
                try (ResultSet rows = statement.executeQuery()) {
                    assertTrue(rows.next());
                    assertEquals(2, rows.getLong(1));
                    assertFalse(rows.next());
                }
            }
        } finally {
            Files.delete(file);
        }
    }

    /** A value that the column cannot have is the database's error, and nothing is cut off on the way. */
    @Test
    void aNumberIsNotCutOff() throws SQLException {
        SQLException error =
                assertThrows(SQLException.class, () -> asked("SELECT ?::int", s -> s.setLong(1, 5_000_000_000L)));
        assertTrue(error.getMessage().contains("out of range"), error.getMessage());
    }

    @Test
    void nullIsNull() throws SQLException {
        assertEquals("true", asked("SELECT ?::int IS NULL", s -> s.setNull(1, Types.INTEGER)));
        assertEquals("true", asked("SELECT ?::text IS NULL", s -> s.setString(1, null)));
        assertEquals("true", asked("SELECT ?::numeric IS NULL", s -> s.setObject(1, null)));
    }

    @Test
    void aStatementRunsAgainWithOtherValues() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT count(*) FROM orders WHERE id > ? AND id <= ?")) {
            assertEquals(2, statement.getParameterMetaData().getParameterCount());
            assertEquals(1, statement.getMetaData().getColumnCount());
            for (int run = 1; run <= 5; run++) {
                statement.setLong(1, 100);
                statement.setInt(2, 100 + run);
                try (ResultSet rows = statement.executeQuery()) {
                    assertTrue(rows.next());
                    assertEquals(run, rows.getLong(1));
                }
            }
        }
    }

    @Test
    void manyStatementsAreOpenAtTheSameTime() throws SQLException {
        PreparedStatement[] statements = new PreparedStatement[50];
        for (int at = 0; at < statements.length; at++) {
            statements[at] = connection.prepareStatement("SELECT " + at + " + ?::int");
        }
        for (int at = 0; at < statements.length; at++) {
            statements[at].setInt(1, 1);
            try (ResultSet rows = statements[at].executeQuery()) {
                assertTrue(rows.next());
                assertEquals(at + 1, rows.getInt(1));
            }
            statements[at].close();
        }
    }
}
