package io.bowshot.spark;

import io.bowshot.BowshotException;
import io.bowshot.spark.DropInFile.Left;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.jdbc.JdbcDialects;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An address of PostgreSQL's JDBC driver with its options, as Bowshot has it. Sessions are set up as the driver does it: SQL may depend on that.
 *
 * @param address with all that is known but the login
 * @param user the login's name
 * @param password its password, or an empty text
 */
record DropInJdbcAddress(String address, String user, String password) {
    private static final Pattern URL =
            Pattern.compile("jdbc:postgresql://([A-Za-z0-9._-]+)(?::([0-9]+))?/([^?/]+)(?:\\?(.*))?", Pattern.DOTALL);

    /** Options of the driver that say nothing of what is read, nor who reads it. */
    private static final Set<String> IGNORED = Set.of(
            "ApplicationName",
            "assumeMinServerVersion",
            "defaultRowFetchSize",
            "reWriteBatchedInserts",
            "tcpKeepAlive");

    /** Options of Spark's source that say nothing of what is read, or that {@link DropInJdbc} heeds. Those of later versions are none of them. */
    private static final Set<String> KNOWN = Set.of(
            "url",
            "dbtable",
            "query",
            "driver",
            "partitioncolumn",
            "lowerbound",
            "upperbound",
            "numpartitions",
            "fetchsize",
            "querytimeout",
            "pushdownpredicate",
            "pushdownaggregate",
            "pushdownlimit",
            "pushdownoffset",
            "pushdowntablesample",
            "pushdownjoin",
            "prefertimestampntz",
            "refreshkrb5config",
            "batchsize",
            "isolationlevel",
            "truncate",
            "cascadetruncate",
            "createtableoptions",
            "createtablecolumntypes",
            "tablecomment");

    private static final Set<String> SSL_MODES =
            Set.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");

    private static final String ZONE = "-c TimeZone=";

    /** What in the environment would lead Bowshot elsewhere than the driver. */
    private static final List<String> ENVIRONMENT = List.of("PGHOSTADDR", "PGSERVICE", "PGTARGETSESSIONATTRS");

    /**
     * What a read's options say.
     *
     * @throws Left where one may mean something that Bowshot does not do
     */
    static DropInJdbcAddress of(JDBCOptions options) throws Left {
        checkSource(options);
        Matcher url = URL.matcher(options.url());
        if (!url.matches()) {
            throw new Left("its address is not of the form jdbc:postgresql://host:port/database");
        }
        Map<String, String> given = new LinkedHashMap<>();
        Properties properties = options.asConnectionProperties();
        for (String name : properties.stringPropertyNames()) {
            given.put(name, properties.getProperty(name));
        }
        if (url.group(4) != null) {
            for (String option : url.group(4).split("&")) {
                int equals = option.indexOf('=');
                if (equals < 0) {
                    throw new Left("its address has an option without a value");
                }
                // The address's word counts, as it does for the driver.
                given.put(option.substring(0, equals), decoded(option.substring(equals + 1)));
            }
        }
        String user = given.remove("user");
        String password = given.remove("password");
        if (user == null) {
            throw new Left("it names no user");
        }
        String port = url.group(2) == null ? "5432" : url.group(2);
        String address = "postgresql://" + url.group(1) + ":" + port + "/" + encoded(decoded(url.group(3)));
        return new DropInJdbcAddress(address + "?" + parameters(given), user, password == null ? "" : password);
    }

    /** As Bowshot is asked for a query. */
    Asked asked(String sql) {
        return Asked.of(Map.of("url", address, "user", user, "password", password, "query", sql));
    }

    private static void checkSource(JDBCOptions options) throws Left {
        if (!options.url().startsWith("jdbc:postgresql:")) {
            throw new Left("it is not PostgreSQL");
        }
        if (!options.driverClass().equals("org.postgresql.Driver")) {
            throw new Left("its driver is " + options.driverClass());
        }
        String dialect = JdbcDialects.get(options.url()).getClass().getName();
        if (!dialect.equals("org.apache.spark.sql.jdbc.PostgresDialect")) {
            throw new Left("its dialect is " + dialect);
        }
        Properties ofDriver = options.asConnectionProperties();
        for (String name :
                CollectionConverters.asJava(options.parameters().originalMap().keySet())) {
            if (!KNOWN.contains(name.toLowerCase(Locale.ROOT)) && !ofDriver.containsKey(name)) {
                throw new Left("it has the option " + name);
            }
        }
        if (options.queryTimeout() != 0) {
            throw new Left("it has the option queryTimeout");
        }
        for (String name : ENVIRONMENT) {
            if (System.getenv(name) != null) {
                throw new Left("the environment has " + name);
            }
        }
    }

    private static String parameters(Map<String, String> given) throws Left {
        List<String> all = new ArrayList<>();
        String settings = ZONE + escaped(zone());
        String ssl = "prefer";
        if ("true".equals(given.get("ssl"))) {
            ssl = "verify-full";
            given.remove("ssl");
        }
        for (Map.Entry<String, String> option : given.entrySet()) {
            String value = option.getValue();
            switch (option.getKey()) {
                case "currentSchema" -> settings += " -c search_path=" + escaped(value);
                case "sslmode" -> {
                    if (!SSL_MODES.contains(value)) {
                        throw new Left("it has the option sslmode=" + value);
                    }
                    ssl = value;
                }
                case "sslrootcert" -> all.add("sslrootcert=" + encoded(value));
                case "connectTimeout" -> all.add("connect_timeout=" + encoded(value));
                default -> {
                    if (!IGNORED.contains(option.getKey())) {
                        throw new Left("it has the option " + option.getKey());
                    }
                }
            }
        }
        all.add("sslmode=" + ssl);
        all.add("options=" + encoded(settings));
        return String.join("&", all);
    }

    /** The zone that the JDBC driver sets for its sessions, this JVM's: SQL that makes dates of instants depends on it. */
    static String zone() {
        String zone = TimeZone.getDefault().getID();
        if (!zone.startsWith("GMT") || zone.length() == 3) {
            return zone;
        }
        // To PostgreSQL, hours after GMT are those to the west.
        return zone.replaceAll("[+-]", zone.charAt(3) == '+' ? "-" : "+");
    }

    /**
     * An address for sessions of this JVM: an executor may live in another zone than Spark's driver, which made the address.
     *
     * @param zone the zone of that one
     */
    static String inThisZone(String address, String zone) {
        String here = zone();
        if (here.equals(zone)) {
            return address;
        }
        String before = encoded(ZONE + escaped(zone));
        if (!address.contains(before)) {
            throw new BowshotException(
                    BowshotException.Kind.CONFIG,
                    "the time zone of this executor, " + here + ", is not that of Spark's driver, " + zone
                            + "\n  spark.conf.set(\"spark.bowshot.dropin.jdbc\", \"false\") leaves databases to Spark");
        }
        return address.replace(before, encoded(ZONE + escaped(here)));
    }

    /** Shows no password. */
    @Override
    public String toString() {
        return "DropInJdbcAddress";
    }

    /** A value as one word of a server's command line. */
    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace(" ", "\\ ");
    }

    private static String decoded(String text) throws Left {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            throw new Left("its address has a wrong escape");
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
