//! Every setting, once: its key, what it wants, its default, what it is for.

use super::kind::Kind;

/// A setting. In the file its key stands in the table before the dot; in the environment it is `BOWSHOT_` and the key in
/// capital letters, with underscores for dots; on the command line it is `--set KEY=VALUE`.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) kind: Kind,
    /// As it would be written; empty where nothing is set.
    pub(crate) default: &'static str,
    /// One or two sentences for the documents.
    pub(crate) about: &'static str,
}

impl Setting {
    /// The setting with this key.
    pub(crate) fn of(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Its name in the environment.
    pub(crate) fn variable(&self) -> String {
        format!("BOWSHOT_{}", self.key.to_uppercase().replace('.', "_"))
    }
}

const fn setting(key: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Setting {
    Setting { key, kind, default, about }
}

/// All settings, in the order of the documents.
pub(crate) const SETTINGS: &[Setting] = &[
    setting("listen", Kind::Address, "127.0.0.1:31337", "Where clients connect. Port 0 is a free one."),
    setting(
        "console",
        Kind::AddressOrOff,
        "off",
        "Where the web console, the metrics and the health checks are. Port 0 is a free one.",
    ),
    setting(
        "console_names",
        Kind::List,
        "",
        "Names of hosts under which browsers reach the console, besides `localhost` and addresses in digits.",
    ),
    setting(
        "console_tls",
        Kind::OneOf(&["auto", "off"]),
        "auto",
        "Whether the console speaks TLS: `auto` is with `console_certificate`, or else with the certificate of `tls`, where one is set.",
    ),
    setting("console_certificate", Kind::Path, "", "A certificate of the console's own with its chain, a PEM file."),
    setting("console_key", Kind::Path, "", "The key of that certificate, a PEM file without a password."),
    setting(
        "console_open_metrics",
        Kind::Truth,
        "false",
        "Whether `/metrics` asks nobody for a login. It holds figures, no names and no SQL.",
    ),
    setting(
        "insecure",
        Kind::Truth,
        "false",
        "Whether the gateway and its console may listen beyond this machine without TLS or without users.",
    ),
    setting("tls.certificate", Kind::Path, "", "The gateway's certificate with its chain, a PEM file."),
    setting("tls.key", Kind::Path, "", "The key of the certificate, a PEM file without a password."),
    setting(
        "tls.client_ca",
        Kind::Path,
        "",
        "The authorities that sign the certificates of clients, a PEM file. With it clients are asked for a certificate.",
    ),
    setting(
        "tls.client_certificate",
        Kind::OneOf(&["required", "optional"]),
        "required",
        "Whether a client may come without a certificate where `tls.client_ca` is set. A wrong one is refused always.",
    ),
    setting(
        "tickets.secret_file",
        Kind::Path,
        "",
        "32 random bytes that sign tickets (`openssl rand 32`). Without it the key ends with the process.",
    ),
    setting("jwt.issuer", Kind::Text, "", "Who must have issued a JSON Web Token, its claim `iss`."),
    setting("jwt.audience", Kind::Text, "", "Whom a token must be meant for, one of its claim `aud`."),
    setting(
        "jwt.key_set",
        Kind::Text,
        "",
        "The issuer's public keys, a JWK Set: a file, or the `https://` address that the issuer calls `jwks_uri`.",
    ),
    setting(
        "jwt.key_set_ca",
        Kind::Path,
        "",
        "The authorities that signed the certificate of that address, a PEM file; without it, the system's.",
    ),
    setting("jwt.key_set_seconds", Kind::Seconds, "300", "How often the keys are read again."),
    setting("jwt.key_file", Kind::Path, "", "The issuer's only public key, a PEM file, in the place of a set."),
    setting("jwt.secret_file", Kind::Path, "", "The secret shared with the issuer, for HS256, HS384 and HS512."),
    setting("jwt.algorithms", Kind::List, "RS256", "The algorithms that may have signed a token."),
    setting("jwt.user_claim", Kind::Text, "sub", "The claim that names the user."),
    setting(
        "jwt.strangers",
        Kind::List,
        "",
        "The rules of users whom a token names and no `[[user]]`. Without it they are refused.",
    ),
    setting("limits.endpoints", Kind::Count, "64", "The endpoints of one result."),
    setting(
        "limits.endpoint_bytes",
        Kind::Bytes,
        "4 MiB",
        "Bytes of batches that may wait for the client of one endpoint.",
    ),
    setting("limits.message_bytes", Kind::Bytes, "16 MiB", "The longest message that a client may send."),
    setting("limits.ticket_seconds", Kind::Seconds, "60", "How long a result waits to be fetched."),
    setting("limits.sessions", Kind::Count, "100000", "Sessions that are open at the same time."),
    setting("limits.sessions_per_user", Kind::Count, "10000", "Sessions of one user."),
    setting("limits.session_idle_seconds", Kind::Seconds, "3600", "A session that nobody uses for so long ends."),
    setting("limits.session_seconds", Kind::Seconds, "86400", "A session ends after so long, however busy it is."),
    setting("limits.statements_running", Kind::Count, "64", "Statements that run at the same time."),
    setting("limits.statements_queued", Kind::Count, "256", "Statements that may wait for their turn."),
    setting("limits.statements_queued_seconds", Kind::Seconds, "60", "How long a statement may wait for its turn."),
    setting(
        "limits.statements_per_user",
        Kind::Count,
        "16",
        "Statements of one user that run at the same time; where nobody logs in, all are one user and this does not hold.",
    ),
    setting("limits.result_bytes", Kind::Bytes, "", "The bytes of one result, as Arrow; without it, any number."),
    setting(
        "limits.query_seconds",
        Kind::Seconds,
        "",
        "How long one query may take, with the reading of its result; without it, any time.",
    ),
    setting(
        "limits.memory_bytes",
        Kind::Bytes,
        "1 GiB",
        "Memory of the joins, sorts and groups of the gateway's own engine, all together.",
    ),
    setting(
        "limits.spill_bytes",
        Kind::Bytes,
        "1 GiB",
        "What the engine, and each result that is executed once for several endpoints, may write to disk when memory does not suffice.",
    ),
    setting(
        "limits.spill_folder",
        Kind::Path,
        "",
        "Where they write it; without it, the system's folder for temporary files.",
    ),
    setting("limits.drain_seconds", Kind::Seconds, "30", "How long results may still be read after SIGTERM."),
    setting("log.format", Kind::OneOf(&["text", "json"]), "text", "Lines for people, or one JSON object a line."),
    setting(
        "log.redact",
        Kind::Truth,
        "false",
        "Whether literals are kept out of the history and the log of statements.",
    ),
    setting(
        "log.level",
        Kind::OneOf(&["error", "warn", "info", "debug", "trace"]),
        "info",
        "The least important lines that are still written.",
    ),
];
