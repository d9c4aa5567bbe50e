//! The name of a source that was given none.

/// A name for the source of this address: that of its database, file or folder, or else its scheme.
pub(crate) fn of_address(uri: &str) -> String {
    // libpq's keywords.
    let database = uri.split_whitespace().find_map(|word| word.strip_prefix("dbname="));
    if let Some(database) = database.filter(|_| !uri.contains("://")) {
        return database.chars().filter(|character| character.is_alphanumeric() || *character == '_').collect();
    }
    let (scheme, rest) = uri.split_once(':').unwrap_or(("data", uri));
    let path = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    // Not the part with a user, a password or a port: what follows the host alone.
    let is_path = path.trim_start_matches('/').contains('/') || !rest.starts_with("//");
    let stem = last.split('.').next().unwrap_or_default();
    let clean: String = stem.chars().filter(|character| character.is_alphanumeric() || *character == '_').collect();
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
        ] {
            assert_eq!(of_address(uri), name, "{uri}");
        }
    }
}
