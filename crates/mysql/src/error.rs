//! The server's ERR packets as [`Error`]s.

use bowshot_core::{Error, ErrorKind};

use crate::packet::Fields;

/// The first byte of an ERR packet.
pub(crate) const ERR: u8 = 0xFF;

/// How much of the SQL a syntax error shows.
const NEAR: usize = 80;

/// The error of a server whose answer is not what the protocol allows.
pub(crate) fn broken(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server broke the protocol: {what}"))
}

/// An ERR packet to anything that the user did not write.
pub(crate) fn from_packet(body: &[u8]) -> Error {
    from_packet_to(body, "")
}

/// An ERR packet to this SQL of the user's, so that a syntax error gets its position.
pub(crate) fn from_packet_to(body: &[u8], sql: &str) -> Error {
    let mut fields = Fields(body);
    let _mark = fields.u8();
    let Some(code) = fields.u16() else { return broken("an error is cut off") };
    let mut state = None;
    if fields.0.first() == Some(&b'#') {
        fields.u8();
        state = fields.bytes(5).map(|state| String::from_utf8_lossy(state).into_owned());
    }
    let text = String::from_utf8_lossy(fields.0);
    let kind = kind(code, state.as_deref());
    let what = match kind {
        ErrorKind::Authentication => "the database refused the login",
        ErrorKind::Config => "the database could not be opened",
        ErrorKind::Connect => "the database does not take connections now",
        ErrorKind::ConnectionLimit => "the database has no connection left",
        ErrorKind::ConnectionLost => "the database ended the connection",
        ErrorKind::Timeout => "the database stopped at a time limit",
        ErrorKind::Cancelled => "the database cancelled the query",
        _ => "the database refused the query",
    };
    let mut error = Error::new(kind, format!("{what}: {text} (error {code})"));
    // HY000 says nothing.
    if let Some(state) = state.filter(|state| state != "HY000") {
        error = error.with_sqlstate(state);
    }
    if let Some(position) = (code == 1064).then(|| position(&text, sql)).flatten() {
        error = error.with_position(position);
    }
    match hint(code) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// What a code means (MySQL's mysqld_error.h, MariaDB's errmsg-utf8.txt; from 2000 on the clients' own).
fn kind(code: u16, state: Option<&str>) -> ErrorKind {
    match code {
        // Too many connections, of a user, of all, per hour.
        1040 | 1203 | 1226 => ErrorKind::ConnectionLimit,
        // Access denied: to log in; without a password; to a host; an account that is locked or expired; a plugin.
        1045 | 1130 | 1251 | 1275 | 1524 | 1698 | 1820 | 1862 | 3118 | 3159 | 4151 => ErrorKind::Authentication,
        // Unknown database, and one that the user may not see.
        1044 | 1049 => ErrorKind::Config,
        // Shut down in the middle; killed; too long idle.
        1053 | 1077 | 1079 | 1152 | 1184 | 1927 | 2006 | 2013 | 4031 | 3169 => ErrorKind::ConnectionLost,
        // Blocked after too many failures.
        1129 => ErrorKind::Connect,
        1317 => ErrorKind::Cancelled,
        // Lock wait; max_execution_time; MariaDB's max_statement_time; NOWAIT.
        1205 | 3024 | 1969 | 1159 | 1161 | 3572 => ErrorKind::Timeout,
        _ if state.is_some_and(|state| state.starts_with("28")) => ErrorKind::Authentication,
        _ if state.is_some_and(|state| state.starts_with("08")) => ErrorKind::ConnectionLost,
        _ => ErrorKind::Sql,
    }
}

fn hint(code: u16) -> Option<&'static str> {
    Some(match code {
        1129 => "somebody with the right to it has to run FLUSH HOSTS or mariadb-admin flush-hosts",
        1792 => {
            "Bowshot reads in read-only transactions; run statements that change something with the database's own client"
        }
        1153 => "raise max_allowed_packet on the server",
        1046 => "name a database in the URI: mysql://user@host/database",
        3159 => "encrypt the connection: ssl-mode=REQUIRED",
        _ => return None,
    })
}

/// The character of `sql` that a syntax error points at ("… near 'FORM t' at line 1"), counted from 1.
///
/// The server quotes the SQL from the mistake to its end, or to 80 characters.
fn position(text: &str, sql: &str) -> Option<usize> {
    let (_, after) = text.split_once(" near '")?;
    let (near, line) = after.rsplit_once("' at line ")?;
    let line: usize = line.trim().parse().ok()?;
    let count = |bytes: usize| sql.get(..bytes).map(|before| before.chars().count() + 1);
    if near.chars().count() < NEAR {
        let at = sql.len().checked_sub(near.len())?;
        return if sql.is_empty() || !sql.ends_with(near) { None } else { count(at) };
    }
    let mut found = sql
        .match_indices(near)
        .filter(|(at, _)| sql.get(..*at).is_some_and(|before| before.matches('\n').count() + 1 == line));
    let (at, _) = found.next()?;
    if found.next().is_some() { None } else { count(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(code: u16, state: &str, text: &str) -> Vec<u8> {
        let mut packet = vec![ERR];
        packet.extend(code.to_le_bytes());
        packet.extend(format!("#{state}{text}").into_bytes());
        packet
    }

    #[test]
    fn everything_that_helps_is_kept() {
        let text = "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version \
                    for the right syntax to use near 'FORM \u{e9}t\u{e9}' at line 2";
        let error = from_packet_to(&packet(1064, "42000", text), "SELECT '\u{e9}'\nFORM \u{e9}t\u{e9}");
        assert_eq!((error.kind(), error.sqlstate(), error.position()), (ErrorKind::Sql, Some("42000"), Some(12)));
        assert!(error.message().ends_with("at line 2 (error 1064)"), "{error}");
        // The end of the query.
        let end = "syntax to use near '' at line 1";
        assert_eq!(from_packet_to(&packet(1064, "42000", end), "SELECT").position(), Some(7));
        // Longer than what is shown: only where it is found once.
        let long = "x".repeat(NEAR);
        let shown = format!("syntax to use near '{long}' at line 1");
        assert_eq!(
            from_packet_to(&packet(1064, "42000", &shown), &format!("SELECT {long} from t")).position(),
            Some(8)
        );
        assert_eq!(from_packet_to(&packet(1064, "42000", &shown), &format!("{long}, {long} from")).position(), None);
        assert_eq!(from_packet(&packet(1064, "42000", &shown)).position(), None);
    }

    #[test]
    fn kinds_follow_the_code() {
        for (code, state, kind) in [
            (1040, "08004", ErrorKind::ConnectionLimit),
            (1045, "28000", ErrorKind::Authentication),
            (1049, "42000", ErrorKind::Config),
            (1053, "08S01", ErrorKind::ConnectionLost),
            (1146, "42S02", ErrorKind::Sql),
            (1203, "42000", ErrorKind::ConnectionLimit),
            (1205, "HY000", ErrorKind::Timeout),
            (1317, "70100", ErrorKind::Cancelled),
            (1927, "70100", ErrorKind::ConnectionLost),
            (1969, "70100", ErrorKind::Timeout),
            (3024, "HY000", ErrorKind::Timeout),
        ] {
            assert_eq!(from_packet(&packet(code, state, "x")).kind(), kind, "{code}");
        }
        assert_eq!(from_packet(&packet(1205, "HY000", "x")).sqlstate(), None);
    }

    #[test]
    fn torn_packets_are_errors_too() {
        for torn in [b"".as_slice(), b"\xff", b"\xff\x15", b"\xff\x15\x04", b"\xff\x15\x04#28", b"\xff\x15\x04\xff\xfe"]
        {
            assert!(!from_packet(torn).message().is_empty());
        }
    }
}
