//! What planning asks for may be refused: the result is then one partition.

use crate::reading::{Database, over, read};

#[test]
fn a_login_without_rights_on_the_catalog_reads_whole() {
    let database = Database::make(
        "planning",
        "CREATE TABLE big AS SELECT i AS id, rpad('', 900, 'x') AS pad FROM generate_series(1, 30000) i;
         CREATE VIEW shown AS SELECT id FROM big;
         GRANT SELECT ON big, shown TO reader; ANALYZE",
    );
    let uri = database.uri_of("reader", "reader");
    let options = over(2);
    for (right, of) in [
        ("SELECT", "TABLE pg_catalog.pg_class"),
        ("SELECT", "TABLE pg_catalog.pg_attribute"),
        ("SELECT", "TABLE pg_catalog.pg_namespace"),
        ("SELECT", "TABLE pg_catalog.pg_inherits"),
        ("EXECUTE", "FUNCTION pg_catalog.pg_relation_size(regclass)"),
        ("EXECUTE", "FUNCTION pg_catalog.row_security_active(oid)"),
    ] {
        database.psql(&format!("REVOKE {right} ON {of} FROM PUBLIC"));
        for sql in ["SELECT id FROM big", "SELECT * FROM shown"] {
            let read = read(&uri, sql, &options);
            let read = read.unwrap_or_else(|error| panic!("{of}, {sql}: {error}"));
            assert_eq!(read.count(), 30_000, "{of}, {sql}");
            assert!(read.partitions == 1 || sql.contains("big"), "{of}: {}", read.reason);
            if sql.contains("big") {
                assert!(read.reason.contains("permission denied"), "{of}: {}", read.reason);
            }
        }
        database.psql(&format!("GRANT {right} ON {of} TO PUBLIC"));
    }
}
