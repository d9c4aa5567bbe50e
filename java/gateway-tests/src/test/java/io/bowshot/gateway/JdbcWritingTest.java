package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stock JDBC driver changes a source that is writable; PostgreSQL's own driver reads what became of it. */
class JdbcWritingTest {
    private static int port;

    private Connection connection;

    @BeforeAll
    static void serve() throws IOException {
        port = Served.get().another("--writable", "shop");
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection("jdbc:arrow-flight-sql://127.0.0.1:" + port + "/?useEncryption=false");
        database("DROP SCHEMA IF EXISTS jdbc CASCADE; CREATE SCHEMA jdbc;"
                + "CREATE TABLE jdbc.parts (id bigint PRIMARY KEY, name text, price numeric(9, 2), made date)");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        database("DROP SCHEMA jdbc CASCADE");
    }

    private static void database(String sql) throws SQLException {
        try (Connection database = Served.get().database();
                Statement statement = database.createStatement()) {
            statement.execute(sql);
        }
    }

    /** All rows, as PostgreSQL writes them. */
    private static List<String> rows() throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection database = Served.get().database();
                Statement statement = database.createStatement();
                ResultSet rows = statement.executeQuery("SELECT parts::text FROM jdbc.parts ORDER BY id")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    @Test
    void aStatementTellsHowManyRowsItChanged() throws SQLException {
        assertFalse(connection.getMetaData().isReadOnly());
        try (Statement statement = connection.createStatement()) {
            assertEquals(
                    2, statement.executeUpdate("INSERT INTO jdbc.parts (id, name) VALUES (1, 'bolt'), (2, 'nöt 🎯')"));
            assertEquals(1, statement.executeUpdate("UPDATE shop.jdbc.parts SET price = 0.5 WHERE id = 1"));
            assertFalse(statement.execute("DELETE FROM jdbc.parts WHERE id = 2"));
            assertEquals(1, statement.getUpdateCount());
            assertEquals(0, statement.executeUpdate("CREATE TABLE jdbc.made (n int)"));
        }
        assertEquals(List.of("(1,bolt,0.50,)"), rows());
    }

    @Test
    void parametersKeepTheirValues() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO jdbc.parts VALUES (?, ?, ?, ?)")) {
            insert.setLong(1, Long.MAX_VALUE);
            insert.setString(2, "it's");
            insert.setString(3, "1234567.89");
            insert.setDate(4, Date.valueOf("2024-02-29"));
            assertEquals(1, insert.executeUpdate());
            insert.setLong(1, -1);
            insert.setNull(2, Types.VARCHAR);
            insert.setNull(3, Types.VARCHAR);
            insert.setNull(4, Types.DATE);
            assertEquals(1, insert.executeUpdate());
        }
        assertEquals(List.of("(-1,,,)", "(9223372036854775807,it's,1234567.89,2024-02-29)"), rows());
    }

    @Test
    void aBatchIsOneTransaction() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO jdbc.parts (id, name) VALUES (?, ?)")) {
            for (int id = 1; id <= 3; id++) {
                insert.setLong(1, id);
                insert.setString(2, "part " + id);
                insert.addBatch();
            }
            int[] counts = insert.executeBatch();
            assertArrayEquals(new int[] {3}, counts, "the driver sends all rows at once, and is told one number");
            for (int id : new int[] {4, 1}) {
                insert.setLong(1, id);
                insert.setString(2, "again");
                insert.addBatch();
            }
            assertThrows(SQLException.class, insert::executeBatch);
        }
        assertEquals(List.of("(1,\"part 1\",,)", "(2,\"part 2\",,)", "(3,\"part 3\",,)"), rows());
    }

    @Test
    void mistakesAreTold() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            SQLException unknown =
                    assertThrows(SQLException.class, () -> statement.executeUpdate("DELETE FROM jdbc.missing"));
            assertTrue(unknown.getMessage().contains("missing"), unknown.getMessage());
            SQLException begin = assertThrows(SQLException.class, () -> statement.executeUpdate("BEGIN"));
            assertFalse(begin.getMessage().isEmpty());
        }
        assertEquals(List.of(), rows());
    }
}
