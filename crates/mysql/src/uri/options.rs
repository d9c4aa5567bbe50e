//! The options that a URI or an option file may set, in the spelling of MySQL's own clients.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_net::{OptionNames, TlsOptions, Verify};

use super::Encryption;

/// Every option: its name and what else it is called. `_` and `-` are the same, and case does not count.
const KNOWN: [(&str, &[&str]); 19] = [
    ("user", &["username"]),
    ("password", &["passwd"]),
    ("host", &[]),
    ("port", &[]),
    ("database", &["db"]),
    ("socket", &["unix-socket"]),
    ("ssl-mode", &["sslmode"]),
    ("ssl-ca", &[]),
    ("ssl-crl", &[]),
    ("ssl-cert", &[]),
    ("ssl-key", &[]),
    ("connect-timeout", &[]),
    ("read-default-file", &["defaults-file"]),
    ("charset", &["default-character-set"]),
    ("protocol", &["cxprotocol"]),
    ("lock", &[]),
    ("calls", &[]),
    ("enable-cleartext-plugin", &[]),
    ("get-server-public-key", &[]),
];

/// The options' names in TLS's errors.
const TLS_NAMES: OptionNames = OptionNames {
    roots: "ssl-ca",
    revoked: "ssl-crl",
    certificate: "ssl-cert",
    key: "ssl-key",
    without_name: "ssl-mode=VERIFY_CA",
    system: None,
};

/// Options by name, and where each was found.
#[derive(Default)]
pub(super) struct Settings {
    values: BTreeMap<&'static str, (String, Origin)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Uri,
    File,
}

/// The name as the table has it.
fn known(name: &str) -> Option<&'static str> {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    KNOWN.iter().find(|(known, others)| *known == plain || others.contains(&plain.as_str())).map(|(known, _)| *known)
}

impl Settings {
    /// Takes an option of the URI; a later one replaces an earlier one.
    pub(super) fn add(&mut self, name: &str, value: String) -> Result<()> {
        let Some(known) = known(name) else {
            let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).skip(4).collect();
            let plain = name.to_ascii_lowercase().replace('_', "-");
            let near =
                names.iter().max_by(|a, b| strsim::jaro_winkler(a, &plain).total_cmp(&strsim::jaro_winkler(b, &plain)));
            let near = near.filter(|near| strsim::jaro_winkler(near, &plain) > 0.8);
            let meant = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
            return Err(Error::new(ErrorKind::Config, format!("a MySQL URI has no option \"{name}\""))
                .with_hint(format!("{meant}The options are {}", names.join(", "))));
        };
        self.values.insert(known, (value, Origin::Uri));
        Ok(())
    }

    /// Takes an option of a file, if Bowshot knows it and the URI leaves it out. Option files are shared with other
    /// programs, whose options mean nothing here.
    pub(super) fn add_from_file(&mut self, name: &str, value: String) {
        // A `protocol` there is the way to the server (TCP, SOCKET), and a file does not name another one.
        if let Some(known) = known(name)
            && !matches!(known, "protocol" | "read-default-file" | "charset" | "calls")
            && !self.is_from_uri(known)
        {
            self.values.insert(known, (value, Origin::File));
        }
    }

    pub(super) fn is_from_uri(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|(_, origin)| *origin == Origin::Uri)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|(value, _)| value.as_str())
    }

    /// The error of an option whose value makes no sense. The value is not shown: it may be the rest of a password.
    pub(super) fn wrong(&self, name: &str, what: &str) -> Error {
        Error::new(ErrorKind::Config, format!("the value of the option {name} makes no sense"))
            .with_hint(format!("{name} takes {what}"))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>> {
        let parse = |text: &str| text.trim().parse().map_err(|_| self.wrong(name, "a whole number"));
        self.text(name).map(parse).transpose()
    }

    pub(super) fn switch(&self, name: &str) -> Result<bool> {
        match self.text(name).map(str::to_ascii_lowercase).as_deref() {
            None | Some("0" | "false" | "off") => Ok(false),
            Some("" | "1" | "true" | "on") => Ok(true),
            Some(_) => Err(self.wrong(name, "1 or 0")),
        }
    }

    pub(super) fn check_charset(&self) -> Result<()> {
        match self.text("charset").map(str::to_ascii_lowercase).as_deref() {
            None | Some("utf8mb4" | "utf8" | "auto") => Ok(()),
            Some(_) => Err(self.wrong("charset", "utf8mb4 only: Arrow's text is UTF-8, and the server converts to it")),
        }
    }

    /// Whether the connection is encrypted, and how.
    pub(super) fn tls(&self) -> Result<(Encryption, TlsOptions)> {
        let file = |name| self.text(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let roots = file("ssl-ca");
        let mode = self.text("ssl-mode").map(|mode| mode.to_ascii_uppercase().replace('-', "_"));
        let (encryption, verify) = match mode.as_deref() {
            Some("DISABLED" | "DISABLE") => (Encryption::Never, Verify::Nothing),
            // As in MySQL's clients: who names an authority wants it asked.
            None if roots.is_some() => (Encryption::Always, Verify::Chain),
            None | Some("PREFERRED" | "PREFER") => (Encryption::IfPossible, Verify::Nothing),
            // An authority that is named is asked, also where MySQL's clients would not.
            Some("REQUIRED" | "REQUIRE") if roots.is_some() => (Encryption::Always, Verify::Chain),
            Some("REQUIRED" | "REQUIRE") => (Encryption::Always, Verify::Nothing),
            Some("VERIFY_CA") => (Encryption::Always, Verify::Chain),
            Some("VERIFY_IDENTITY" | "VERIFY_FULL") => (Encryption::Always, Verify::Name),
            Some(_) => {
                return Err(self.wrong("ssl-mode", "DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"));
            }
        };
        let (certificate, key) = (file("ssl-cert"), file("ssl-key"));
        if certificate.is_some() != key.is_some() {
            let (one, other) = if key.is_none() { ("ssl-cert", "ssl-key") } else { ("ssl-key", "ssl-cert") };
            return Err(Error::new(ErrorKind::Config, format!("the option {one} is given without {other}"))
                .with_hint("a certificate of ours needs the key that belongs to it, and the other way round"));
        }
        let mut options = TlsOptions::new(TLS_NAMES);
        options.verify = verify;
        // Without a file, the operating system's authorities are the ones that can be asked.
        options.system_roots = verify != Verify::Nothing && roots.is_none();
        options.root_file = roots;
        options.revoked_file = file("ssl-crl");
        options.certificate_file = certificate;
        options.key_file = key;
        Ok((encryption, options))
    }
}
