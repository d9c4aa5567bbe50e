//! The driver itself.

use adbc_core::Driver;
use adbc_core::error::Result as AdbcResult;
use adbc_core::options::{OptionDatabase, OptionValue};

use crate::BowshotDatabase;

/// The ADBC driver of Bowshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct BowshotDriver;

impl Driver for BowshotDriver {
    type DatabaseType = BowshotDatabase;

    fn new_database(&mut self) -> AdbcResult<BowshotDatabase> {
        self.new_database_with_opts([])
    }

    fn new_database_with_opts(
        &mut self,
        options: impl IntoIterator<Item = (OptionDatabase, OptionValue)>,
    ) -> AdbcResult<BowshotDatabase> {
        BowshotDatabase::new(options)
    }
}
