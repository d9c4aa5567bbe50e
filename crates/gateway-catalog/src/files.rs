//! What the one table of a source of files is called.

/// The name that queries of files give to their table: the folder's or the file's own, without what follows its first
/// dot, or `data`, which always means these files.
///
/// ```
/// use bowshot_gateway_catalog::table_of_files;
///
/// assert_eq!(table_of_files("file:///lake/orders/"), "orders");
/// assert_eq!(table_of_files("s3://lake/orders.parquet?region=eu"), "orders");
/// assert_eq!(table_of_files("/lake/*.csv"), "data");
/// ```
pub fn table_of_files(uri: &str) -> String {
    let path = uri.split_once(':').filter(|(scheme, _)| scheme.len() > 1).map_or(uri, |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    // What is encoded or a pattern is no name.
    if stem.is_empty() || stem.contains(['*', '%', '[', '{']) { "data".to_owned() } else { stem.to_owned() }
}
