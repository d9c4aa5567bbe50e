//! The name of a source that was given none.

use bowshot_core::Address;

/// A name for the source of this address: that of its database, file or folder, or else its scheme. Only what may be shown of
/// the address can be in it.
pub(crate) fn of_address(address: &Address) -> String {
    let uri = address.to_string();
    let plain = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric() || *character == '_').collect()
    };
    // libpq's keywords.
    let database = uri.split_whitespace().find_map(|word| word.strip_prefix("dbname="));
    if let Some(database) = database.filter(|_| !uri.contains("://")) {
        return plain(database);
    }
    // ODBC's data source or driver.
    if let Some((scheme @ "odbc", rest)) = uri.split_once(':') {
        let name = rest.split([';', '…']).next().unwrap_or_default();
        let name = plain(name.split_once('=').map_or(name, |(_, name)| name));
        return if name.is_empty() { scheme.to_owned() } else { name };
    }
    let (scheme, rest) = uri.split_once(':').unwrap_or(("data", uri.as_str()));
    let path = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    // Not the part with a user, a password or a port: what follows the host alone.
    let is_path = path.trim_start_matches('/').contains('/') || !rest.starts_with("//");
    let stem = last.split('.').next().unwrap_or_default();
    let clean = plain(stem);
    if is_path && !clean.is_empty() && !last.contains('@') { clean } else { scheme.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_the_file_or_the_folder() {
        for (uri, name) in [
            ("postgresql://ann:secret@db.example:5432/shop", "shop"),
            ("postgresql://ann:secret@db.example/shop?sslmode=require", "shop"),
            ("postgresql://ann:secret@db.example", "postgresql"),
            ("postgresql://ann:secret@db.example/", "postgresql"),
            ("mysql://root@[::1]:3306/a-b", "ab"),
            ("sqlite:///var/lib/shop.db", "shop"),
            ("host=/tmp dbname=shop", "shop"),
            ("./lake/", "lake"),
            ("lake/orders.parquet", "orders"),
            ("/", "data"),
            ("odbc:shop", "shop"),
            ("odbc:DSN=my shop;UID=u;PWD=secret", "myshop"),
            ("odbc:Driver={PostgreSQL Unicode};Server=h;PWD=secret", "PostgreSQLUnicode"),
            ("odbc:UID=u;PWD=secret", "odbc"),
            ("adbc:snowflake?uri=u:secret@h/x", "snowflake"),
            ("Server=h;PWD=secret", "data"),
            ("postgresql://ann:12/secret@db/shop", "postgresql"),
        ] {
            assert_eq!(of_address(&Address::new(uri)), name, "{uri}");
        }
    }
}
