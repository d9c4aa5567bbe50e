//! An address as it may be shown: without passwords, and without options, among which secrets may be.

/// What people may see of an address.
pub(crate) fn shown(uri: &str) -> String {
    // Anywhere else the three characters may be those of a password.
    let is_front = |front: &str| front.split(':').all(is_scheme);
    if let Some((scheme, rest)) = uri.split_once("://").filter(|(front, _)| is_front(front)) {
        return of_uri(scheme, rest);
    }
    if let Some((scheme, rest)) = uri.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        return match scheme {
            "odbc" | "adbc" => named(scheme, rest),
            _ => format!("{scheme}:{}", without_options(rest)),
        };
    }
    // libpq's keywords: host=/tmp dbname=shop password=secret.
    if uri.contains('=') { keywords(uri) } else { without_options(uri) }
}

/// Scheme, user, host and path. RFC 3986 ends the user at the first @ and the authority at the first slash; a password may hold
/// both where it is not encoded, and in doubt nothing is shown.
fn of_uri(scheme: &str, rest: &str) -> String {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if path.contains('@') {
        return format!("{scheme}://…");
    }
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    // A user without a password may be a token.
    let user = user.map(|user| match user.split_once(':') {
        Some((name, _)) => format!("{name}@"),
        None if matches!(scheme, "postgresql" | "postgres" | "mysql" | "mariadb") => format!("{user}@"),
        None => "…@".to_owned(),
    });
    format!("{scheme}://{}{host}{}", user.unwrap_or_default(), without_options(path))
}

/// ODBC's data source and ADBC's driver, and nothing else of a connection string.
fn named(scheme: &str, rest: &str) -> String {
    let parts = || rest.split(';').filter_map(|part| part.split_once('='));
    let is_name = |key: &str| matches!(key.trim().to_ascii_lowercase().as_str(), "dsn" | "driver");
    match parts().find(|(key, _)| is_name(key)) {
        Some((key, value)) => format!("{scheme}:{key}={value};…"),
        None => format!("{scheme}:…"),
    }
}

fn keywords(text: &str) -> String {
    let public =
        |word: &&str| ["host=", "port=", "dbname=", "user=", "service="].iter().any(|key| word.starts_with(key));
    // A quoted value may hold spaces: what is left of it is no public word.
    let words: Vec<&str> = text.split_whitespace().filter(public).collect();
    if text.contains(['\'', '\\']) || words.is_empty() { "…".to_owned() } else { words.join(" ") }
}

fn without_options(path: &str) -> String {
    match path.find(['?', '#']) {
        Some(end) => format!("{}?…", path.get(..end).unwrap_or_default()),
        None => path.to_owned(),
    }
}

/// Not the drive of a path: C:\lake.
fn is_scheme(text: &str) -> bool {
    text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn where_it_is_stays_and_secrets_go() {
        for (uri, expected) in [
            ("postgresql://ann:s3cret@db.example:5432/shop?sslmode=require", "postgresql://ann@db.example:5432/shop?…"),
            ("postgresql://ann@db/shop", "postgresql://ann@db/shop"),
            ("postgresql://ann:s3@cret@db/shop", "postgresql://ann@db/shop"),
            ("postgresql://ann:s3/cr@et@db/shop", "postgresql://…"),
            ("postgresql://db/shop?user=ann&password=s3@cret", "postgresql://…"),
            ("trino://s3cret@db/hive", "trino://…@db/hive"),
            ("grpc+tls://h:1?token=s3cret", "grpc+tls://h:1?…"),
            ("sqlite:///var/shop.db", "sqlite:///var/shop.db"),
            ("sqlite:shop.db?key=s3cret", "sqlite:shop.db?…"),
            ("host=/tmp dbname=shop password=s3cret", "host=/tmp dbname=shop"),
            ("host=/tmp password='s3 cret'", "…"),
            ("odbc:DSN=shop;UID=ann;PWD=s3cret", "odbc:DSN=shop;…"),
            ("odbc:PWD=s3cret", "odbc:…"),
            ("adbc:snowflake://ann:s3cret@h", "adbc:snowflake://ann@h"),
            ("./lake/", "./lake/"),
            ("s3://lake/orders.parquet?secret_access_key=s3cret", "s3://lake/orders.parquet?…"),
        ] {
            assert_eq!(shown(uri), expected);
        }
    }

    proptest! {
        #[test]
        fn no_password_is_ever_shown(password in "[a-z:@/?#&=%;' ]{0,6}Qz7x[a-z:@/?#&=%;' ]{0,6}", option in any::<bool>()) {
            let uri = if option { format!("mysql://ann@db/shop?password={password}") } else { format!("mysql://ann:{password}@db/shop") };
            prop_assert!(!shown(&uri).contains("Qz7x"), "{}", shown(&uri));
            let keywords = shown(&format!("host=db password={password}"));
            prop_assert!(!keywords.contains("Qz7x"));
            let odbc = shown(&format!("odbc:DSN=a;PWD={password}"));
            prop_assert!(!odbc.contains("Qz7x"));
        }
    }
}
