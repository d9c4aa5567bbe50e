package io.bowshot.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code bowshot serve} in front of a private PostgreSQL, for all tests of this program.
 *
 * <p>The servers stop with the program: the database's standard input closes, the gateway is terminated.
 */
final class Served {
    /** How many orders there are. */
    static final int ORDERS = 60_000;

    private static Served only;

    private final String databaseUrl;
    private final String source;
    private final int port;

    private Served(String databaseUrl, String source, int port) {
        this.databaseUrl = databaseUrl;
        this.source = source;
        this.port = port;
    }

    /** The one of this program, started when it is first asked for. */
    static synchronized Served get() {
        if (only == null) {
            try {
                only = start();
            } catch (IOException | SQLException error) {
                throw new IllegalStateException("the servers do not start", error);
            }
        }
        return only;
    }

    /** Where the gateway listens on 127.0.0.1. */
    int port() {
        return port;
    }

    /** The gateway by its JDBC driver, with more options such as {@code &catalog=shop}. */
    Connection gateway(String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:arrow-flight-sql://127.0.0.1:" + port + "/?useEncryption=false" + options);
    }

    /** PostgreSQL by its own driver. */
    Connection database() throws SQLException {
        return DriverManager.getConnection(databaseUrl);
    }

    private static Served start() throws IOException, SQLException {
        Process database = new ProcessBuilder(program("BOWSHOT_TESTKIT"), "postgres")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(database)));
        String described =
                new BufferedReader(new InputStreamReader(database.getInputStream(), StandardCharsets.UTF_8)).readLine();
        String uri = found("\"uri\":\"([^\"]+)\"", described);
        Matcher parts = Pattern.compile("postgresql://([^:]+):([^@]+)@(.+)").matcher(uri);
        if (!parts.matches()) {
            throw new IllegalStateException("an address of another form: " + uri);
        }
        String url = "jdbc:postgresql://" + parts.group(3) + "?user=" + parts.group(1) + "&password=" + parts.group(2)
                + "&currentSchema=store";
        fill(url);

        String source = "shop=" + uri + "?options=-csearch_path%3Dstore";
        return new Served(url, source, serve(source));
    }

    /** A gateway in front of the same database with more options, where it listens; it stops with the program. */
    int another(String... options) throws IOException {
        return serve(source, options);
    }

    private static int serve(String source, String... options) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(program("BOWSHOT_COMMAND"), "serve", source, "--listen", "127.0.0.1:0"));
        command.addAll(List.of(options));
        Path log = Files.createTempFile("bowshot", ".log");
        Process gateway = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            gateway.destroy();
            log.toFile().delete();
        }));
        return listening(gateway, log);
    }

    private static String program(String variable) {
        String path = System.getenv(variable);
        if (path == null) {
            throw new IllegalStateException(variable + " names no program: run dev/java_test.sh");
        }
        return path;
    }

    private static void close(Process database) {
        try {
            database.getOutputStream().close();
            database.waitFor();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private static int listening(Process gateway, Path log) throws IOException {
        for (int tries = 0; tries < 600; tries++) {
            Matcher address =
                    Pattern.compile("grpc(?:\\+tls)?://127\\.0\\.0\\.1:(\\d+)").matcher(Files.readString(log));
            if (address.find()) {
                return Integer.parseInt(address.group(1));
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            if (!gateway.isAlive()) {
                break;
            }
        }
        throw new IllegalStateException("the gateway does not listen: " + Files.readString(log));
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException(pattern + " is not in " + text);
        }
        return matcher.group(1);
    }

    /** Makes orders with every type that JDBC has a getter for, with NULLs, and pages enough to be read in ranges. */
    private static void fill(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA store");
            statement.execute("CREATE SCHEMA empty");
            statement.execute("CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL)");
            statement.execute("INSERT INTO customers SELECT n, 'customer ' || n FROM generate_series(1, 100) n");
            statement.execute("CREATE TABLE orders (id bigint PRIMARY KEY, customer int REFERENCES customers,"
                    + " small smallint, paid boolean, price numeric(12, 2), weight float8, ratio float4, day date,"
                    + " placed timestamp(6), note text, photo bytea) WITH (fillfactor = 10)");
            statement.execute("INSERT INTO orders SELECT n, n % 100 + 1, n % 30000, n % 2 = 0,"
                    + " CASE WHEN n % 7 > 0 THEN n * 0.37 END, CASE WHEN n % 5 > 0 THEN n / 7::float8 END, n / 3::float4,"
                    + " CASE WHEN n % 11 > 0 THEN date '2020-01-01' + n % 2000 END,"
                    + " CASE WHEN n % 13 > 0 THEN timestamp '2020-01-01 00:00:00.001' + n * interval '1 hour' END,"
                    + " CASE WHEN n % 3 > 0 THEN 'nöte 🎯 ' || n END,"
                    + " CASE WHEN n % 4 > 0 THEN decode(lpad(to_hex(n), 8, '0'), 'hex') END"
                    + " FROM generate_series(1, " + ORDERS + ") n");
            statement.execute("CREATE VIEW cheap AS SELECT id, price FROM orders WHERE price < 10");
            statement.execute("ANALYZE");
        }
    }
}
