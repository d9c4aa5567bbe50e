//! What the one table of a source of files is called.

/// The name that queries of files give to their table: the folder's or the file's own, without what follows its first
/// dot, or `data`, which always means these files.
///
/// ```
/// use bowshot_catalog::table_of_files;
///
/// assert_eq!(table_of_files("file:///lake/orders/"), "orders");
/// assert_eq!(table_of_files("s3://lake/orders.parquet?region=eu"), "orders");
/// assert_eq!(table_of_files("/lake/*.csv"), "data");
/// assert_eq!(table_of_files("lake/part-?.csv"), "data");
/// ```
pub fn table_of_files(uri: &str) -> String {
    let path = match uri.split_once(':').filter(|(scheme, _)| scheme.len() > 1 && !scheme.contains('/')) {
        Some((_, rest)) => rest.split(['?', '#']).next().unwrap_or_default(),
        // A plain path has no options: a question mark is a pattern's.
        None => uri,
    };
    let path = path.trim_end_matches(['/', '\\']);
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    // What is encoded or a pattern is no name.
    if stem.is_empty() || stem.contains(['*', '?', '%', '[', '{']) { "data".to_owned() } else { stem.to_owned() }
}
