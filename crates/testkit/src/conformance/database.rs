//! What the cases need of a database.

use serde::{Deserialize, Serialize};

use crate::Result;

/// A state of the world that a case is read in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Situation {
    /// All is well.
    #[default]
    Well,
    /// The password is not the user's.
    WrongPassword,
    /// Nobody listens at the address.
    DeadHost,
    /// Somebody listens, and never answers.
    SilentHost,
    /// The server has no database of this name.
    UnknownDatabase,
    /// The server is killed after the first batch.
    KilledInMidStream,
    /// The reader is told to stop after the first batch.
    Cancelled,
}

impl Situation {
    /// Those in which an address leads nowhere.
    pub const UNREACHABLE: [Situation; 4] =
        [Situation::WrongPassword, Situation::DeadHost, Situation::SilentHost, Situation::UnknownDatabase];

    /// As the documents call it.
    pub fn title(self) -> &'static str {
        match self {
            Situation::Well => "a query",
            Situation::WrongPassword => "wrong password",
            Situation::DeadHost => "nobody listens there",
            Situation::SilentHost => "the host never answers",
            Situation::UnknownDatabase => "unknown database",
            Situation::KilledInMidStream => "server killed in mid-stream",
            Situation::Cancelled => "cancelled in mid-stream",
        }
    }
}

/// A database that the cases are run against.
pub trait Database {
    /// The folder of its cases, and what `on` calls it.
    fn name(&self) -> &'static str;

    /// The major version that cases compare with `since`; 0 where nothing has a version.
    fn version(&self) -> u32 {
        0
    }

    /// Every protocol that a user can choose.
    fn protocols(&self) -> &'static [&'static str] {
        &[]
    }

    /// The URI of a database of the suite's own, in which `setup` has run.
    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String>;

    /// The URI in a situation that is not well; `None` where this database has no such situation.
    fn address(&self, situation: Situation) -> Option<String>;

    /// Ends the server as a crash would.
    fn crash(&mut self) -> Result<()>;
}
