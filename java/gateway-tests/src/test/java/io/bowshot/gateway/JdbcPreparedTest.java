package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parameters of the stock JDBC driver: text for every type, NULL, and a statement that runs again. */
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

    /** The driver binds a value only to the type that the server announces, which is text: the database casts it. */
    @Test
    void textReachesEveryType() throws SQLException {
        assertEquals("7", asked("SELECT id FROM orders WHERE id = ?", s -> s.setString(1, "7")));
        assertEquals("8", asked("SELECT id FROM orders WHERE price = ?", s -> s.setString(1, "2.96")));
        assertEquals("2", asked("SELECT id FROM orders WHERE note = ?", s -> s.setString(1, "nöte 🎯 2")));
        assertEquals("0.25", asked("SELECT ?::float8", s -> s.setString(1, "0.25")));
        assertEquals("true", asked("SELECT ?::boolean", s -> s.setString(1, "true")));
        assertEquals("2024-02-29", asked("SELECT (?::date)::text", s -> s.setString(1, "2024-02-29")));
        assertEquals("it's ? $1", asked("SELECT ?::text", s -> s.setString(1, "it's ? $1")));
        assertEquals("", asked("SELECT ?::text", s -> s.setString(1, "")));
        assertEquals("4", asked("SELECT length(?::bytea)", s -> s.setString(1, "\\x0001ff27")));
        assertEquals("9", asked("SELECT ?::int + ?::int", s -> {
            s.setString(1, "4");
            s.setString(2, "5");
        }));
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
                statement.setString(1, "100");
                statement.setString(2, String.valueOf(100 + run));
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
            statements[at].setString(1, "1");
            try (ResultSet rows = statements[at].executeQuery()) {
                assertTrue(rows.next());
                assertEquals(at + 1, rows.getInt(1));
            }
            statements[at].close();
        }
    }
}
