//! Who answers: PostgreSQL, or another server that speaks its protocol, and what that one does otherwise.
//!
//! Cousins are told by what they say of themselves at login. Whoever is not known here, poolers among them, is read as
//! PostgreSQL.

use bowshot_core::{ErrorKind, Result};
use postgres_types::Type;

use crate::catalog::cell;
use crate::connect::Session;
use crate::statement::Protocol;

/// A server that speaks PostgreSQL's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// PostgreSQL itself, or what takes its place without being noticed.
    Postgres,
    CockroachDb,
    H2,
    QuestDb,
    Redshift,
}

/// No PostgreSQL before this version is read; H2 and Redshift call themselves older ones.
const OLDEST: u32 = 90_000;

impl Family {
    /// The family of the server behind a session that has just logged in.
    pub(crate) fn of(session: &mut Session) -> Result<Self> {
        if session.parameter("questdb_version").is_some() {
            return Ok(Family::QuestDb);
        }
        if session.parameter("crdb_version").is_some() {
            return Ok(Family::CockroachDb);
        }
        if !(1..OLDEST).contains(&session.version()) {
            return Ok(Family::Postgres);
        }
        match session.query("SELECT version()") {
            Ok(rows) => Ok(Family::called(rows.first().map_or("", |row| cell(row, 0)))),
            Err(error) if error.kind() == ErrorKind::Sql => Ok(Family::Postgres),
            Err(error) => Err(error),
        }
    }

    /// The family that `version()` names.
    fn called(version: &str) -> Self {
        if version.contains("using H2 ") {
            Family::H2
        } else if version.contains("Redshift") {
            Family::Redshift
        } else {
            Family::Postgres
        }
    }

    /// Its name, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Family::Postgres => "PostgreSQL",
            Family::CockroachDb => "CockroachDB",
            Family::H2 => "H2",
            Family::QuestDb => "QuestDB",
            Family::Redshift => "Redshift",
        }
    }

    /// What puts a cousin's session on one state of the database, in a transaction that cannot write where it knows
    /// such a thing, and with text forms that do not depend on the server's settings.
    pub(crate) fn begin(self) -> &'static [&'static str] {
        match self {
            Family::Postgres => &[],
            Family::CockroachDb => &[
                "SET datestyle = 'ISO'; SET intervalstyle = 'postgres'",
                "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY",
            ],
            // Setting the level ends a transaction. None of its transactions can be told not to write; what is never
            // committed is undone.
            Family::H2 => &["SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT", "BEGIN"],
            // A query sees one state of its tables; a transaction adds nothing to that.
            Family::QuestDb => &[],
            Family::Redshift => &["SET datestyle TO 'ISO'", "BEGIN READ ONLY"],
        }
    }

    /// Whether a cousin reads by this protocol; none of them has COPY's binary format.
    pub(crate) fn speaks(self, protocol: Protocol) -> bool {
        match protocol {
            Protocol::Arrow | Protocol::Dealt | Protocol::Copy => self == Family::Postgres,
            Protocol::Extended => true,
            // QuestDB forgets a portal at the next Sync.
            Protocol::Cursor => self != Family::QuestDb,
        }
    }

    /// Whether a statement that was described has to be closed: if it is replaced before it ran, QuestDB 9.3 keeps it in
    /// its cache under the text of the one that replaced it, and answers that one wrongly, to everybody.
    pub(crate) fn must_close(self) -> bool {
        self == Family::QuestDb
    }

    /// Whether a cousin sends values of this type in PostgreSQL's own binary form. Others are asked for as text.
    pub(crate) fn sends_binary(self, builtin: &Type) -> bool {
        let more: &[Type] = match self {
            Family::Postgres => return true,
            Family::CockroachDb => {
                &[Type::NUMERIC, Type::BYTEA, Type::UUID, Type::DATE, Type::TIME, Type::TIMESTAMP, Type::TIMESTAMPTZ]
            }
            // Its times are in the floating-point form of ancient PostgreSQLs.
            Family::H2 => &[Type::NUMERIC, Type::BYTEA, Type::DATE],
            Family::QuestDb => &[Type::NUMERIC, Type::BYTEA, Type::UUID, Type::TIMESTAMP, Type::FLOAT8_ARRAY],
            // Its binary numeric is one of its own.
            Family::Redshift => &[],
        };
        SIMPLE.contains(builtin) || more.contains(builtin)
    }
}

/// Types that nobody could send otherwise.
const SIMPLE: [Type; 6] = [Type::BOOL, Type::INT2, Type::INT4, Type::INT8, Type::FLOAT4, Type::FLOAT8];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_by_what_they_call_themselves() {
        for (version, family) in [
            ("PostgreSQL 8.2.23 server protocol using H2 2.5.252 (2026-09-23)", Family::H2),
            (
                "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017, Redshift 1.0.1234",
                Family::Redshift,
            ),
            ("PostgreSQL 8.4.22 on x86_64-unknown-linux-gnu", Family::Postgres),
            ("", Family::Postgres),
        ] {
            assert_eq!(Family::called(version), family, "{version}");
        }
    }

    #[test]
    fn cousins_are_read_with_what_they_speak() {
        for family in [Family::CockroachDb, Family::H2, Family::QuestDb, Family::Redshift] {
            assert!(!family.speaks(Protocol::Arrow) && !family.speaks(Protocol::Copy));
            assert!(family.speaks(Protocol::Extended));
            assert!(family.sends_binary(&Type::INT8) && !family.sends_binary(&Type::TEXT));
        }
        assert!(!Family::H2.sends_binary(&Type::TIMESTAMP));
        assert!(!Family::Redshift.sends_binary(&Type::NUMERIC));
    }
}
