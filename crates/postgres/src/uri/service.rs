//! `pg_service.conf`: named groups of options.

use std::path::PathBuf;

use bowshot_core::{Error, ErrorKind, Result};

use super::environment::Environment;
use super::options::Settings;

/// Adds the options of the service that the settings or the environment name, if one is named.
pub(super) fn add(settings: &mut Settings, environment: &Environment) -> Result<()> {
    let named = settings.text("service").map(str::to_owned).or_else(|| environment.variable("PGSERVICE"));
    let Some(service) = named else { return Ok(()) };
    let files = files(settings, environment);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if add_from(settings, &service, &text, &path.display().to_string())? {
            return Ok(());
        }
    }
    let searched: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    Err(Error::new(ErrorKind::Config, format!("there is no service \"{service}\" in {}", searched.join(", ")))
        .with_hint("a service is a line [name] with lines host=…, dbname=… and so on below it"))
}

/// The files that may define it, in the order in which they are searched.
fn files(settings: &Settings, environment: &Environment) -> Vec<PathBuf> {
    let given = settings.text("servicefile").map(str::to_owned).or_else(|| environment.variable("PGSERVICEFILE"));
    let own = given.map(PathBuf::from).or_else(|| environment.home_file(".pg_service.conf"));
    let system = match environment.variable("PGSYSCONFDIR") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => environment.system_folders.clone(),
    };
    own.into_iter().chain(system.into_iter().map(|folder| folder.join("pg_service.conf"))).collect()
}

/// Adds the service's options if the file has it.
fn add_from(settings: &mut Settings, service: &str, text: &str, path: &str) -> Result<bool> {
    let mut found = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let wrong = |kind, message: &str| Error::new(kind, format!("line {} of {path} {message}", index + 1));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            if found {
                break;
            }
            found = name.strip_suffix(']') == Some(service);
            continue;
        }
        if !found {
            continue;
        }
        if line.starts_with("ldap") {
            return Err(wrong(ErrorKind::Unsupported, "looks an option up in LDAP, which Bowshot does not"));
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(wrong(ErrorKind::Config, "has no \"=\""));
        };
        let name = name.trim();
        if matches!(name, "service" | "servicefile") {
            return Err(wrong(ErrorKind::Config, "names a service within a service"));
        }
        settings.add(name, value.trim().to_owned(), format!("\"{name}\" of the service \"{service}\" in {path}"))?;
    }
    Ok(found)
}
