package io.bowshot;

/** What went wrong, in one of a few {@linkplain Kind kinds}; the message ends with the way out where there is one. */
public final class BowshotException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of thing went wrong. */
    public enum Kind {
        /** The address, an option or a parameter makes no sense; nothing was sent to a database. */
        CONFIG,
        /** The database could not be reached. */
        CONNECT,
        /** The database did not accept the login. */
        AUTHENTICATION,
        /** The encrypted channel could not be had as the address asks for it. */
        TLS,
        /** The database has no connection left. */
        CONNECTION_LIMIT,
        /** The connection broke in the middle of the work. */
        CONNECTION_LOST,
        /** The database refused or failed to run the query. */
        SQL,
        /** A value does not fit the type of its column. */
        VALUE,
        /** Something that Bowshot or the database cannot do. */
        UNSUPPORTED,
        /** The other side sent bytes that the protocol does not allow. */
        PROTOCOL,
        /** The state of the database that a plan saw can no longer be read. */
        SNAPSHOT_GONE,
        /** The read was cancelled. */
        CANCELLED,
        /** A time limit passed. */
        TIMEOUT,
        /** A file or the operating system failed. */
        IO,
        /** A mistake in Bowshot itself; please report it. */
        INTERNAL
    }

    private final Kind kind;
    private final String column;
    private final String sqlState;

    /**
     * An error.
     *
     * @param kind what kind of thing went wrong
     * @param message what happened and, where it is known, the way out
     */
    public BowshotException(Kind kind, String message) {
        this(kind, message, "", "");
    }

    /**
     * An error with what is known of its place.
     *
     * @param column the column that it is about, or an empty text
     * @param sqlState the database's code, or an empty text
     */
    public BowshotException(Kind kind, String message, String column, String sqlState) {
        super(message);
        this.kind = kind;
        this.column = column;
        this.sqlState = sqlState;
    }

    /** What kind of thing went wrong. */
    public Kind kind() {
        return kind;
    }

    /** The column that it is about, or an empty text. */
    public String column() {
        return column;
    }

    /** The database's five-character code, or an empty text. */
    public String sqlState() {
        return sqlState;
    }
}
