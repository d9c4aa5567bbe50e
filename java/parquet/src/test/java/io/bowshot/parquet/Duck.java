package io.bowshot.parquet;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What DuckDB, another program's reader of Parquet, finds in a file. */
final class Duck {
    private Duck() {}

    /** The cells of a query, row by row, as DuckDB's own texts; {@code FILE} in it is the file. */
    static List<List<String>> rows(Path file, String sql) {
        String query = sql.replace("FILE", "'" + file.toString().replace("'", "''") + "'");
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            List<List<String>> rows = new ArrayList<>();
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    row.add(result.getString(column));
                }
                rows.add(row);
            }
            return rows;
        } catch (SQLException error) {
            throw new AssertionError(query, error);
        }
    }

    /** The first column of a query. */
    static List<String> column(Path file, String sql) {
        return rows(file, sql).stream().map(row -> row.get(0)).toList();
    }

    /** The only cell of a query. */
    static String cell(Path file, String sql) {
        return rows(file, sql).get(0).get(0);
    }
}
