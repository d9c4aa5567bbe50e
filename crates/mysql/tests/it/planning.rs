//! What planning asks for may be refused, and keys of text are split as they come.

use super::common::{connections, finish, plan, server};

#[test]
fn a_view_whose_tables_the_login_may_not_read_is_read_whole() {
    server()
        .sql(
            "CREATE DATABASE definer; USE definer; \
             CREATE TABLE hidden (id INT NOT NULL PRIMARY KEY, word VARCHAR(20), secret INT); \
             INSERT INTO hidden SELECT seq, 'x', seq FROM seq_1_to_60000; \
             CREATE SQL SECURITY DEFINER VIEW shown AS SELECT id, word FROM hidden; \
             CREATE USER onlooker@'127.0.0.1' IDENTIFIED BY 'secret'; \
             GRANT SELECT ON definer.shown TO onlooker@'127.0.0.1'; \
             CREATE USER partial@'127.0.0.1' IDENTIFIED BY 'secret'; \
             GRANT SELECT (word) ON definer.hidden TO partial@'127.0.0.1'",
        )
        .unwrap();
    let options = connections(2);
    for (user, sql, words) in [
        ("onlooker", "SELECT * FROM shown", "error 1345"),
        ("onlooker", "SELECT id FROM shown WHERE id > 0", "error 1345"),
        ("partial", "SELECT word FROM hidden", ""),
    ] {
        let plan = plan(&server().uri_of(user, "secret", "definer"), sql, &options).unwrap();
        assert_eq!(plan.partitions.len(), 1, "{}", plan.reason);
        assert!(plan.reason.contains(words), "{}", plan.reason);
        let rows: usize = finish(plan, &options).unwrap().iter().map(arrow_array::RecordBatch::num_rows).sum();
        assert_eq!(rows, 60_000, "{sql}");
    }
}

#[test]
fn keys_of_text_are_split_whatever_they_are_written_with() {
    server().sql("CREATE DATABASE words").unwrap();
    let options = connections(2);
    for (table, key) in [
        ("blanks", "CONCAT('John Smith ', seq)"),
        (
            "names",
            "CONCAT(ELT(1 + seq % 3, 'Alice', 'bob', 'Eve'), ' ', ELT(1 + seq % 2, 'Smith', 'O''Neil'), ' ', seq)",
        ),
        ("cases", "CONCAT(IF(seq % 2, 'order-', 'ORDER-'), LPAD(seq, 8, '0'))"),
        ("letters", "CONCAT(ELT(1 + seq % 3, 'Ärger', 'Zoë', 'Ключ'), seq)"),
    ] {
        server()
            .sql(&format!(
                "USE words; SET NAMES utf8mb4; \
                 CREATE TABLE {table} (k VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY, n INT); \
                 INSERT INTO {table} SELECT {key}, seq FROM seq_1_to_120000"
            ))
            .unwrap();
        let uri = server().uri_of(server().user(), server().password(), "words");
        let plan = plan(&uri, &format!("SELECT n FROM {table}"), &options).unwrap();
        let reason = plan.reason.clone();
        assert!(plan.partitions.len() > 4, "{table}: {reason}");
        let rows: usize = finish(plan, &options).unwrap().iter().map(arrow_array::RecordBatch::num_rows).sum();
        assert_eq!(rows, 120_000, "{table}");
    }
}
