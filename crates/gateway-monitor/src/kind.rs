//! Names of kinds of errors.

use bowshot_core::ErrorKind;

/// The name of a kind of error, as tables, logs and JSON have it.
///
/// ```
/// use bowshot_core::ErrorKind;
///
/// assert_eq!(bowshot_gateway_monitor::kind_name(ErrorKind::ConnectionLost), "connection_lost");
/// ```
pub fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Config => "config",
        ErrorKind::Connect => "connect",
        ErrorKind::Authentication => "authentication",
        ErrorKind::Tls => "tls",
        ErrorKind::ConnectionLimit => "connection_limit",
        ErrorKind::ConnectionLost => "connection_lost",
        ErrorKind::Sql => "sql",
        ErrorKind::Value => "value",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Protocol => "protocol",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Timeout => "timeout",
        ErrorKind::Io => "io",
        ErrorKind::Internal => "internal",
        // A kind that is newer than this list.
        _ => "other",
    }
}
