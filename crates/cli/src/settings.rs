//! `bowshot settings`.

use std::fmt::Write as _;
use std::io::Write as _;

use bowshot_core::{Error, ErrorKind, Result};

use crate::config::SETTINGS;

/// Print every setting: its key, its variable, its default and what it is for.
///
/// The table is Markdown, as in the documents.
#[derive(clap::Args)]
pub(crate) struct Settings {}

impl Settings {
    pub(crate) fn run(self) -> Result<()> {
        std::io::stdout()
            .write_all(table().as_bytes())
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot write the settings: {error}")))
    }
}

/// All settings, as a table of Markdown.
fn table() -> String {
    let mut text = String::from("| key | variable | default | what it is |\n|---|---|---|---|\n");
    for setting in SETTINGS {
        let default = match setting.default {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        // Writing to a string cannot fail. A bar would end its cell.
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {default} | {} Wants {}. |",
            setting.key,
            setting.variable(),
            setting.about,
            setting.kind.wants()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_the_same_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gateway.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(&table()), "put what `bowshot settings` prints into docs/gateway.md:\n{}", table());
    }
}
