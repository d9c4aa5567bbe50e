//! What is written, and where it lies.

use std::path::{Path, PathBuf};

use bowshot_core::{Error, ErrorKind, Result};

use crate::Format;

/// The tables, in the order of the specification's section 1.4.
pub const TABLES: [&str; 8] = ["part", "supplier", "partsupp", "customer", "orders", "lineitem", "nation", "region"];

/// How the demo's files are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demo {
    /// The scale factor: 1 has 6 million rows of lineitem, about 1 GB. By default 0.1.
    pub scale: f64,
    /// The files' format. By default Parquet.
    pub format: Format,
    /// How many files lineitem has, so that several threads can read it. By default 4.
    pub lineitem_files: i32,
}

impl Default for Demo {
    fn default() -> Self {
        Demo { scale: 0.1, format: Format::Parquet, lineitem_files: 4 }
    }
}

/// The largest scale factor that a demo is made of.
const LARGEST: f64 = 1000.0;

impl Demo {
    /// An error of kind [`Config`](ErrorKind::Config) where nothing sensible would be made.
    pub(crate) fn check(&self) -> Result<()> {
        if !(self.scale > 0.0 && self.scale <= LARGEST) {
            return Err(Error::new(ErrorKind::Config, format!("the scale factor {} makes no sense", self.scale))
                .with_hint(format!("give one above 0 and up to {LARGEST}, such as 0.1")));
        }
        if !(1..=1000).contains(&self.lineitem_files) {
            return Err(Error::new(ErrorKind::Config, format!("{} files make no sense", self.lineitem_files))
                .with_hint("give a number from 1 to 1000"));
        }
        Ok(())
    }

    /// The name of the folder with these files. What changes the files changes the name.
    pub(crate) fn folder(&self) -> String {
        format!("tpch-{}-{}-{}", self.scale, self.lineitem_files, self.format.extension())
    }

    /// How many files a table has.
    pub(crate) fn files(&self, table: &str) -> i32 {
        if table == "lineitem" { self.lineitem_files } else { 1 }
    }
}

/// The tables in a folder that [`write`](crate::write()) made: the name of each, and the folder of its files.
pub fn tables(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    TABLES.iter().map(|table| (*table, folder.join(table))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_sizes_are_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(Demo { scale, ..Demo::default() }.check().is_err(), "{scale}");
        }
        assert!(Demo { lineitem_files: 0, ..Demo::default() }.check().is_err());
        assert!(Demo::default().check().is_ok());
    }

    #[test]
    fn other_files_lie_in_another_folder() {
        let other = Demo { format: Format::Arrow, ..Demo::default() };
        assert_eq!(Demo::default().folder(), "tpch-0.1-4-parquet");
        assert_ne!(other.folder(), Demo::default().folder());
    }
}
