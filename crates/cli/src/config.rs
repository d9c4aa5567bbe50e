//! What is configured: the command line before the environment, that before the file, that before the defaults.

mod file;
mod kind;
mod layers;
mod lists;
mod settings;
mod source;
mod user;

use std::collections::BTreeMap;
use std::path::Path;

use bowshot_connect::resolve;
use bowshot_core::{Address, Result};

pub(crate) use kind::Kind;
pub(crate) use layers::{Layers, Origin};
pub(crate) use settings::{SETTINGS, Setting};
pub(crate) use source::Source;
pub(crate) use user::User;

/// What one way of configuring says: of settings, by their keys, and of the two lists.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) settings: Vec<(String, Vec<String>, Origin)>,
    pub(crate) sources: Vec<Source>,
    pub(crate) users: Vec<User>,
    /// The names of sources that are writable, besides those that say so themselves.
    pub(crate) writable: Vec<(String, Origin)>,
}

/// The configuration in effect.
pub(crate) struct Config {
    pub(crate) settings: Layers,
    /// What is served, with addresses as they are to be used.
    pub(crate) sources: Vec<Source>,
    /// Who may log in; without any, and without tokens, everybody may.
    pub(crate) users: Vec<User>,
}

impl Config {
    /// Reads the file and the environment; `flags` is what the command line says.
    ///
    /// A list is taken whole from the first way that has one: sources of the command line stand in the place of the file's.
    pub(crate) fn load(file: Option<&Path>, environment: &BTreeMap<String, String>, flags: Given) -> Result<Config> {
        let mut config = Config { settings: Layers::default(), sources: Vec::new(), users: Vec::new() };
        let mut writable = Vec::new();
        let written = file.map(file::read).transpose()?.unwrap_or_default();
        for given in [written, lists::environment(environment)?, flags] {
            for (key, items, origin) in given.settings {
                config.settings.put(&key, items, origin)?;
            }
            if !given.sources.is_empty() {
                config.sources = given.sources;
            }
            if !given.users.is_empty() {
                config.users = given.users;
            }
            writable.extend(given.writable);
        }
        let variable = |name: &str| environment.get(name).cloned();
        for source in &mut config.sources {
            source.uri = resolve(source.uri.expose(), variable)
                .map(Address::new)
                .map_err(|error| source.origin.blame(&error))?;
        }
        for user in &mut config.users {
            if let Some(hash) = &mut user.password_hash {
                *hash = resolve(hash, variable).map_err(|error| user.origin.blame(&error))?;
            }
        }
        lists::make_writable(&mut config.sources, &writable)?;
        lists::check(&config.sources, &config.users)?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests;
