//! The settings, each with where its value comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind, Result};

use super::kind::{Kind, bytes};
use super::settings::{SETTINGS, Setting};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said anything.
    Default,
    /// The configuration file of this name, and the line.
    File(String, usize),
    /// The variable of the environment.
    Variable(String),
    /// The option or argument of the command line.
    Flag(String),
}

impl Origin {
    /// The error of what is written there.
    pub(crate) fn blame(&self, error: &Error) -> Error {
        let blamed = Error::new(error.kind(), format!("{self}: {}", error.message()));
        match error.hint() {
            Some(hint) => blamed.with_hint(hint),
            None => blamed,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(name, line) => write!(f, "{name}, line {line}"),
            Origin::Variable(name) | Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// What is set, by its key. What is put later stands before what was put earlier.
#[derive(Default)]
pub(crate) struct Layers(BTreeMap<&'static str, (Vec<String>, Origin)>);

impl Layers {
    /// Sets a value.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config), saying where: a key that is none, a value that is not of its kind, a setting that
    /// the gateway does not obey yet.
    pub(crate) fn put(&mut self, key: &str, items: Vec<String>, origin: Origin) -> Result<()> {
        let refused = |message: String, hint: String| {
            Err(Error::new(ErrorKind::Config, format!("{origin}: {message}")).with_hint(hint))
        };
        let Some(setting) = Setting::of(key) else {
            return refused(format!("there is no setting \"{key}\""), nearest(key));
        };
        let fits = match items.as_slice() {
            items if setting.kind == Kind::List => items.iter().all(|item| setting.kind.allows(item)),
            [one] => setting.kind.allows(one),
            _ => false,
        };
        if !fits {
            let found = items.join(", ");
            return refused(format!("{key} is \"{found}\""), format!("write {}", setting.kind.wants()));
        }
        self.0.insert(setting.key, (items, origin));
        Ok(())
    }

    /// The value of a setting: what was put, or else its default; `None` where it has neither.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key) {
            Some((items, _)) => items.first().map(String::as_str),
            None => Setting::of(key).map(|setting| setting.default).filter(|default| !default.is_empty()),
        }
    }

    /// The texts of a list; `None` where nobody set it and it has no default.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<String>> {
        match self.0.get(key) {
            Some((items, _)) => Some(items.clone()),
            None => self.text(key).map(|default| vec![default.to_owned()]),
        }
    }

    /// Where the value comes from.
    pub(crate) fn origin(&self, key: &str) -> &Origin {
        self.0.get(key).map_or(&Origin::Default, |(_, origin)| origin)
    }

    pub(crate) fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.text(key) == Some("true")
    }

    pub(crate) fn address(&self, key: &str) -> Result<SocketAddr> {
        self.read(key, |text| text.parse().ok())
    }

    pub(crate) fn count(&self, key: &str) -> Result<usize> {
        self.read(key, |text| text.parse().ok())
    }

    pub(crate) fn bytes(&self, key: &str) -> Result<usize> {
        self.read(key, |text| usize::try_from(bytes(text)?).ok())
    }

    pub(crate) fn seconds(&self, key: &str) -> Result<Duration> {
        self.read(key, |text| text.parse().ok().map(Duration::from_secs))
    }

    fn read<T>(&self, key: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
        self.text(key).and_then(parse).ok_or_else(|| {
            let message = format!("{}: {key} cannot be used on this machine", self.origin(key));
            Error::new(ErrorKind::Config, message).with_hint("choose a smaller value")
        })
    }
}

/// A way out for who mistyped a key.
pub(crate) fn nearest(key: &str) -> String {
    let alike = |setting: &&Setting| strsim::jaro_winkler(key, setting.key);
    match SETTINGS.iter().max_by(|a, b| alike(a).total_cmp(&alike(b))).filter(|setting| alike(setting) > 0.8) {
        Some(setting) => format!("did you mean \"{}\"?", setting.key),
        None => "bowshot settings prints all of them".to_owned(),
    }
}
