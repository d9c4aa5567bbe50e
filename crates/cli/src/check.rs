//! `bowshot serve --check`: the configuration in effect, and whether the sources answer.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Request, Result};

use crate::config::{Config, Kind, SETTINGS};
use crate::gateway::Named;

/// How long a source may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The configuration in effect, as a file that says the same but for its secrets, with a comment where each value comes from.
pub(crate) fn effective(config: &Config) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for setting in SETTINGS {
        let origin = config.settings.origin(setting.key).to_string();
        let Some(items) = config.settings.list(setting.key) else { continue };
        let value = match items.as_slice() {
            [one] if setting.kind.is_bare(one) => one.clone(),
            [one] if setting.kind != Kind::List => quoted(one),
            items => format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ")),
        };
        lines.push((format!("{} = {value}", setting.key), origin));
    }
    for source in &config.sources {
        lines.push(("[[source]]".to_owned(), source.origin.to_string()));
        lines.extend(source.name.iter().map(|name| (format!("name = {}", quoted(name)), String::new())));
        lines.push((format!("uri = {}", quoted(&source.uri.to_string())), String::new()));
        lines.extend(source.writable.then(|| ("writable = true".to_owned(), String::new())));
    }
    for user in &config.users {
        lines.push(("[[user]]".to_owned(), user.origin.to_string()));
        lines.push((format!("name = {}", quoted(&user.name)), String::new()));
        lines.extend(user.password_hash.iter().map(|_| ("password_hash = \"…\"".to_owned(), String::new())));
        let rules: Vec<String> = user.rules.iter().map(|rule| quoted(rule)).collect();
        if !rules.is_empty() {
            lines.push((format!("rules = [{}]", rules.join(", ")), String::new()));
        }
    }
    let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default().min(60);
    let mut text = String::new();
    for (line, origin) in lines {
        // Writing to a string cannot fail.
        let _ = match origin.as_str() {
            "" => writeln!(text, "{line}"),
            origin => writeln!(text, "{line:width$}  # {origin}"),
        };
    }
    text
}

/// A basic string of TOML 1.0.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// What each source answers when it is asked, in the order of the sources: how long that took, or why it does not.
pub(crate) fn probe(sources: &[Named]) -> Vec<Result<Duration>> {
    let cancel = Cancel::new();
    let asked: Vec<_> = sources
        .iter()
        .map(|named| {
            let (sender, receiver) = channel();
            let (source, sql, cancel) = (Arc::clone(&named.source), named.kind.smallest_query(), cancel.clone());
            // A thread that hangs is left behind: the process ends soon.
            std::thread::spawn(move || {
                let started = Instant::now();
                let planned = source.plan(&Request::new(Query::new(sql), Options::default()), &cancel);
                // Nobody listens any more where it took too long.
                let _ = sender.send(planned.map(|_| started.elapsed()));
            });
            receiver
        })
        .collect();
    let until = Instant::now() + PATIENCE;
    asked
        .into_iter()
        .map(|receiver| match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                Err(Error::new(ErrorKind::Timeout, format!("no answer within {} s", PATIENCE.as_secs())))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::new(ErrorKind::Internal, "the probe panicked; please report this"))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Given, Origin, Source, User};

    #[test]
    fn the_effective_configuration_is_a_configuration_without_secrets() {
        let flag = || Origin::Flag("--set".into());
        let given = Given {
            settings: vec![
                ("limits.endpoint_bytes".into(), vec!["1 MiB".into()], flag()),
                ("jwt.strangers".into(), vec!["allow a".into(), "allow \"b\"".into()], flag()),
            ],
            sources: vec![Source::of_text("shop=postgresql://ann:s3cret@db/shop", flag())],
            users: vec![User {
                name: "ann".into(),
                password_hash: Some("s3cret".into()),
                rules: vec!["allow shop".into()],
                origin: flag(),
            }],
            writable: vec![("shop".into(), flag())],
        };
        let text = effective(&Config::load(None, &BTreeMap::new(), given).unwrap());
        assert!(!text.contains("s3cret"), "{text}");
        let line = text.lines().find(|line| line.starts_with("limits.endpoint_bytes")).unwrap();
        assert!(line.contains("= \"1 MiB\" ") && line.ends_with("# --set"), "{line}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bowshot.toml");
        std::fs::write(&path, &text).unwrap();
        let again = Config::load(Some(&path), &BTreeMap::new(), Given::default()).unwrap();
        assert_eq!(again.sources[0].uri.expose(), "postgresql://ann@db/shop");
        assert_eq!(again.settings.list("jwt.strangers").unwrap(), ["allow a", "allow \"b\""]);
        assert!(again.sources[0].writable);
        assert_eq!(again.users[0].rules, ["allow shop"]);
    }
}
