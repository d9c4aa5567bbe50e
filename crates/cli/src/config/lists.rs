//! What the environment says, and whether the two lists make sense.

use std::collections::{BTreeMap, BTreeSet};

use bowshot_core::{Error, ErrorKind, Result};

use super::layers::nearest;
use super::settings::{SETTINGS, Setting};
use super::{Given, Origin, Source, User};

/// The sources, with white space between them: `NAME=ADDRESS` or an address alone.
const SOURCES: &str = "BOWSHOT_SOURCES";
/// The users, with white space between them: `NAME:HASH`.
const USERS: &str = "BOWSHOT_USERS";
/// The names of the sources that are writable, with white space between them.
const WRITABLE: &str = "BOWSHOT_WRITABLE";

/// What the environment configures.
pub(super) fn environment(variables: &BTreeMap<String, String>) -> Result<Given> {
    let mut given = Given::default();
    let mut names = BTreeSet::new();
    for setting in SETTINGS {
        let name = setting.variable();
        if let Some(value) = variables.get(&name).filter(|value| !value.is_empty()) {
            let items = setting.items(value);
            given.settings.push((setting.key.to_owned(), items, Origin::Variable(name.clone())));
        }
        names.insert(name);
    }
    // Only in the names of groups: a cluster gives a service called bowshot BOWSHOT_PORT and its like.
    if let Some(unknown) = variables.keys().find(|name| is_of_a_group(name) && !names.contains(*name)) {
        let key = unknown.trim_start_matches("BOWSHOT_").to_lowercase().replacen('_', ".", 1);
        let message = format!("the variable {unknown} is no setting");
        return Err(Error::new(ErrorKind::Config, message).with_hint(nearest(&key)));
    }
    let list = |name: &str| variables.get(name).map(String::as_str).unwrap_or_default().split_whitespace();
    let origin = |name: &str| Origin::Variable(name.to_owned());
    given.sources = list(SOURCES).map(|text| Source::of_text(text, origin(SOURCES))).collect();
    given.writable = list(WRITABLE).map(|name| (name.to_owned(), origin(WRITABLE))).collect();
    given.users = list(USERS).map(|text| user(text, origin(USERS))).collect::<Result<_>>()?;
    Ok(given)
}

fn is_of_a_group(name: &str) -> bool {
    ["TLS", "TICKETS", "JWT", "LIMITS", "LOG"].iter().any(|group| name.starts_with(&format!("BOWSHOT_{group}_")))
}

fn user(text: &str, origin: Origin) -> Result<User> {
    let (name, hash) = text.split_once(':').ok_or_else(|| {
        Error::new(ErrorKind::Config, format!("{origin}: a user has no password's hash"))
            .with_hint("write NAME:HASH, the hash as bowshot hash-password prints it")
    })?;
    Ok(User { name: name.to_owned(), password_hash: Some(hash.to_owned()), rules: Vec::new(), origin })
}

impl Setting {
    /// The value of a variable or an option: a list has commas.
    pub(crate) fn items(&self, value: &str) -> Vec<String> {
        match self.kind {
            super::kind::Kind::List => value.split(',').map(|item| item.trim().to_owned()).collect(),
            _ => vec![value.to_owned()],
        }
    }
}

/// Makes the sources writable that are named.
pub(super) fn make_writable(sources: &mut [Source], names: &[(String, Origin)]) -> Result<()> {
    for (name, origin) in names {
        let Some(source) = sources.iter_mut().find(|source| source.known_as() == *name) else {
            let message = format!("{origin}: no source is named \"{name}\", so it cannot be writable");
            let known: Vec<String> = sources.iter().map(Source::known_as).collect();
            let hint = format!("the sources are {}", known.join(", "));
            return Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        };
        source.writable = true;
    }
    Ok(())
}

/// Refuses names that stand twice.
pub(super) fn check(sources: &[Source], users: &[User]) -> Result<()> {
    let sources = sources.iter().filter_map(|source| Some(("sources", source.name.as_deref()?, &source.origin)));
    let users = users.iter().map(|user| ("users", user.name.as_str(), &user.origin));
    let mut names = BTreeSet::new();
    for (what, name, origin) in sources.chain(users) {
        if !names.insert((what, name)) {
            return Err(Error::new(ErrorKind::Config, format!("{origin}: two {what} are named \"{name}\""))
                .with_hint("give each a name of its own"));
        }
    }
    Ok(())
}
