package io.bowshot.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, which the driver speaks unless its URL says otherwise, and certificates of clients. */
class JdbcTlsTest {
    @TempDir
    static Path folder;

    /** The driver's, which writes pages about each login that fails. */
    private static final Logger LOGINS = Logger.getLogger(
            "org.apache.arrow.driver.jdbc.shaded.org.apache.arrow.flight.auth2.ClientHandshakeWrapper");

    private static int encrypted;
    private static int mutual;

    @BeforeAll
    static void serve() throws Exception {
        LOGINS.setLevel(Level.OFF);
        sign("authority", "-subj", "/CN=authority");
        for (String name : List.of("server", "client")) {
            // A certificate that is an authority's may not be a server's.
            sign(
                    name,
                    "-subj",
                    "/CN=" + name,
                    "-CA",
                    "authority.pem",
                    "-CAkey",
                    "authority.key",
                    "-addext",
                    "subjectAltName=IP:127.0.0.1",
                    "-addext",
                    "basicConstraints=critical,CA:FALSE");
        }
        String[] server = {"--tls-certificate", path("server.pem"), "--tls-key", path("server.key")};
        encrypted = Served.get().another(server);
        List<String> asking = new ArrayList<>(List.of(server));
        asking.addAll(List.of("--tls-client-ca", path("authority.pem")));
        mutual = Served.get().another(asking.toArray(String[]::new));
    }

    private static void sign(String name, String... options) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("openssl", "req", "-x509", "-newkey", "ec", "-days", "2", "-nodes"));
        command.addAll(List.of("-pkeyopt", "ec_paramgen_curve:prime256v1"));
        command.addAll(List.of("-keyout", name + ".key", "-out", name + ".pem"));
        command.addAll(List.of(options));
        Process openssl = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(openssl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, openssl.waitFor(), said);
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }

    private static void read(int port, String options) throws SQLException {
        String url = "jdbc:arrow-flight-sql://127.0.0.1:" + port + "/?user=anybody&password=any" + options;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM orders")) {
            assertTrue(rows.next());
            assertEquals(Served.ORDERS, rows.getLong(1));
        }
    }

    @Test
    void rowsArriveOverTls() throws SQLException {
        read(encrypted, "&tlsRootCerts=" + path("authority.pem"));
    }

    @Test
    void aGatewayThatTheClientDoesNotTrustGetsNoQuery() {
        assertThrows(SQLException.class, () -> read(encrypted, ""));
        assertThrows(SQLException.class, () -> read(encrypted, "&useEncryption=false"));
    }

    @Test
    void aClientShowsItsCertificate() throws SQLException {
        String trusted = "&tlsRootCerts=" + path("authority.pem");
        assertThrows(SQLException.class, () -> read(mutual, trusted));
        read(mutual, trusted + "&clientCertificate=" + path("client.pem") + "&clientKey=" + path("client.key"));
    }
}
